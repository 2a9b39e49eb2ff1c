"""Laws of knees: feet that are held bend them as smoothly as the blend does, and straighten them little."""

from __future__ import annotations

import numpy as np
import pytest

from mocapella.actor import perform
from mocapella.analysis.fourier import analyse
from mocapella.analysis.prepare import prepare
from mocapella.gait.resting import plants_of
from mocapella.gait.root_motion import cycle_by_feet
from mocapella.playback.feet.locks import sole_of
from mocapella.playback.player import Player
from mocapella.playback.record import record
from mocapella.playback.settings import DEFAULTS
from mocapella.rig.legs import leg_dofs, leg_roles, legs_of
from mocapella.storage.values import load


def knees(spectrum, feet):
    """How far both knees are bent, frame by frame, degrees."""
    clip = record(Player(spectrum, feet=feet), seconds=1.6, frame_rate=60)
    roles, out = leg_roles(clip.skeleton), []
    for side in ("left", "right"):
        hip, knee, ankle = (clip.positions[:, roles[f"{side}_{part}"]] for part in ("hip", "knee", "ankle"))
        thigh, shank = knee - hip, ankle - knee
        sines = np.linalg.norm(np.cross(thigh, shank), axis=1)
        out.append(np.degrees(np.arctan2(sines, (thigh * shank).sum(axis=1))))
    return np.stack(out, axis=1)


def jerk(angles):
    """The most that the turn of a knee changes from one frame to the next."""
    return np.abs(np.diff(angles, 2, axis=0)).max()


def test_feet_that_are_held_do_not_jerk_the_knees_of_a_fast_walk():
    walk = analyse(prepare(perform("walk", speed=1.6)[0]), harmonics=10)
    held, free = knees(walk, "held"), knees(walk, "velocity")
    assert jerk(held) < 1.5 * jerk(free)
    assert held.min() > free.min() - 3.0


@pytest.mark.data
@pytest.mark.parametrize("name", ["16_27", "16_35", "16_45"])
def test_held_feet_do_not_jerk_the_knees_of_captured_people(data_folder, name):
    spectrum = analyse(prepare(load(data_folder / "cmu-bvh" / "16" / f"{name}.bvh")), harmonics=10)
    held, free = knees(spectrum, "held"), knees(spectrum, "velocity")
    assert jerk(held) < 2.1 * jerk(free)
    assert (held.min(axis=0) > free.min(axis=0) - 7.5).all()  # feet that stand where they are come first


def test_what_a_sole_takes_sets_in_and_out_without_a_leap(run):
    gait, leg = cycle_by_feet(run, leg_dofs(run.layout)), legs_of(run.layout.skeleton)[0]
    (heel,), (toe,) = gait.plants[:2]
    phases = np.linspace(0.0, 2.0 * np.pi, 2000, endpoint=False)
    turned = []
    for phase in phases.tolist():
        back, front = gait.touch(0, phase), gait.touch(1, phase)
        tilt = back.height - leg.heel_height - front.height + leg.toe_height
        now = [(p, since, hold) if (hold := p.hold(since := p.since(phase))) > 0.0 else None for p in (heel, toe)]
        sole = sole_of(gait, leg, 0, (now[0], now[1]), tilt, DEFAULTS)
        turned.append(sole.turned)
        if all(one is not None and 0.0 <= one[1] < one[0].length for one in now):
            assert abs(tilt - sole.turned - sole.tilt) <= DEFAULTS.rocking
    assert max(map(abs, turned)) > 1e-4
    assert np.abs(np.diff([*turned, turned[0]])).max() < 5e-4


def test_a_foot_that_stands_on_one_end_keeps_its_tilt(run):
    gait, leg = cycle_by_feet(run, leg_dofs(run.layout)), legs_of(run.layout.skeleton)[0]
    (plant,) = plants_of((((0.5, 1.0),),), 1.0)[0]
    assert sole_of(gait, leg, 0, ((plant, 0.2, 1.0), None), 0.05, DEFAULTS).turned == 0.0
