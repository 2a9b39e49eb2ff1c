"""Side by side with captured people: the curves of hips, knees and ankles over the cycle, and their harmonics."""

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import perform
from mocapella.geometry import quaternions

pytestmark = [pytest.mark.data, pytest.mark.filterwarnings("ignore::mocapella.MotionWarning")]
SAMPLES = 128
FILES = {
    "walk": ("07/07_01", "16/16_15", "16/16_47", "16/16_21", "35/35_02", "08/08_01", "82/82_13", "16/16_31"),
    "run": ("16/16_35", "16/16_36", "09/09_06", "16/16_45", "127/127_06", "35/35_17"),
}
COMPARED = [("07/07_01", "walk", 1.36), ("16/16_15", "walk", 1.10), ("16/16_35", "run", 2.81)]
HELD_OUT = [("35/35_02", "walk", 1.25), ("35/35_33", "walk", 1.29), ("16/16_45", "run", 3.97)]  # not in the fit


def leg_angles(clip, side):
    """Hip, knee and ankle flexion in degrees, from the places of the joints and the turn of the pelvis."""
    positions, world = clip.world
    hip, knee, ankle, toe = (positions[:, clip.skeleton.index(side + n)] for n in ("UpLeg", "Leg", "Foot", "ToeBase"))
    thigh, shank, foot = knee - hip, ankle - knee, toe - ankle
    seen = quaternions.rotate(quaternions.conjugate(world[:, 0]), thigh)

    def between(a, b):
        cosines = (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
        return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))

    return np.stack(
        [np.degrees(np.arctan2(seen[:, 2], -seen[:, 1])), between(thigh, shank), between(shank, foot) - 90.0]
    )


def one_cycle(angles, longest=200):
    """The best-closing stretch that repeats, bent until its ends meet, sampled evenly."""
    n = angles.shape[1]
    sizes = np.ptp(angles[:2], axis=1)[:, None]
    shifts = np.arange(60, min(longest, n - 25))
    errors = np.array([(np.abs(angles[:2, s:] - angles[:2, :-s]) / sizes).mean() for s in shifts])
    length = int(shifts[np.flatnonzero(errors < 1.1 * errors.min())[0]])
    gaps = (np.abs(angles[:2, length:] - angles[:2, :-length]) / sizes).sum(axis=0)
    start = int(gaps.argmin())
    piece = angles[:, start : start + length + 1]
    piece = piece - np.linspace(0.0, 1.0, length + 1) * (piece[:, -1:] - piece[:, :1])
    return np.stack([np.interp(np.arange(SAMPLES) * length / SAMPLES, np.arange(length + 1), row) for row in piece])


def in_step(curves, reference):
    """The curves begun where hips and knees agree best with the reference."""
    scores = [
        sum(np.corrcoef(np.roll(c, o), r)[0, 1] for c, r in zip(curves[:2], reference[:2], strict=True))
        for o in range(SAMPLES)
    ]
    return np.roll(curves, int(np.argmax(scores)), axis=1)


@pytest.fixture(scope="session")
def real(data_folder):
    def load(name):
        return mo.load(data_folder / "cmu-bvh" / f"{name}.bvh").captured

    return load


@pytest.mark.parametrize(("name", "action", "speed"), COMPARED + HELD_OUT)
@pytest.mark.parametrize("side", ["Left", "Right"])
def test_leg_curves_follow_those_of_captured_people(real, name, action, speed, side):
    actor = one_cycle(leg_angles(perform(action, speed=speed)[0], "Left"))
    person = in_step(one_cycle(leg_angles(real(name), side)), actor)
    hip, knee, ankle = (np.corrcoef(a, p)[0, 1] for a, p in zip(actor, person, strict=True))
    assert hip >= 0.9
    assert knee >= 0.9
    assert ankle >= 0.75


@pytest.mark.parametrize(("action", "speeds"), [("walk", (1.0, 1.3, 1.6)), ("run", (2.6, 3.2, 3.9))])
def test_ranges_of_motion_lie_within_the_spread_of_captured_people(real, action, speeds):
    people = np.array(
        [np.ptp(one_cycle(leg_angles(real(n), s)), axis=1) for n in FILES[action] for s in ("Left", "Right")]
    )
    low, high = people.min(axis=0), people.max(axis=0)
    for speed in speeds:
        found = np.ptp(one_cycle(leg_angles(perform(action, speed=speed)[0], "Left")), axis=1)
        assert (found >= low - 1.0).all(), f"{action} {speed}: {found} below {low}"
        assert (found <= high + 1.0).all(), f"{action} {speed}: {found} above {high}"


@pytest.mark.parametrize(("name", "action", "speed"), COMPARED)
def test_harmonics_fall_off_at_a_like_rate(real, name, action, speed):
    def slope(curves):
        magnitudes = np.abs(np.fft.rfft(curves, axis=1, norm="forward"))[:, 1:11]
        return np.polyfit(np.log(np.arange(1, 11)), np.log(magnitudes + 1e-2).mean(axis=0), 1)[0]

    actor = slope(one_cycle(leg_angles(perform(action, speed=speed)[0], "Left")))
    person = np.mean([slope(one_cycle(leg_angles(real(name), side))) for side in ("Left", "Right")])
    assert abs(actor - person) < 0.45 * abs(person)
