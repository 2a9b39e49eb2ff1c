"""The registries of measures: what commands report is what the functions measure."""

from __future__ import annotations

import math

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.hybrid.seams import Seam
from mocapella.measure.footskate import footing
from mocapella.measure.ground_path import distance, turned
from mocapella.measure.measures import ARC, MOTION, NETWORK, MeasuredMotion, MeasuredNetwork, figures


def test_figures_of_a_motion_are_those_of_the_functions():
    clip = perform("walk", speed=1.3, turn=0.4, imperfections=CLEAN)[0]
    found, feet = figures(MOTION, MeasuredMotion(clip)), footing(clip)
    assert (
        found.items()
        >= {
            "distance": distance(clip),
            "turn": math.degrees(turned(clip)),
            "slip_mm_max": feet.slip_mm_max,
            "slip_mm_mean": feet.slip_mm_mean,
            "penetration_mm_max": feet.penetration_mm_max,
            "floating_mm_max": feet.floating_mm_max,
            "approach_m_s_max": feet.approach,
        }.items()
    )
    assert list(figures(MOTION, MeasuredMotion(clip), ("turn", "distance"))) == ["turn", "distance"]


def test_figures_of_an_arc_are_in_centimetres_and_degrees():
    assert figures(ARC, Seam(pose=0.02, turn=math.pi, velocity=math.pi / 2)) == {
        "pose_cm": 2.0,
        "angle": 180.0,
        "velocity": 90.0,
    }


def test_a_network_that_is_not_played_has_no_figures_of_feet():
    walk = mo.prepare(perform("walk", imperfections=CLEAN)[0])
    network = mo.Network([mo.Node("walk", (0.0, 1.2), mo.analyse(walk, harmonics=8))])
    found = figures(NETWORK, MeasuredNetwork(network, network, play=False))
    assert list(found) == list(NETWORK)
    assert {key for key, value in found.items() if value is None} == {
        "single_source",
        "slip_mm_max",
        "penetration_mm_max",
        "floating_mm_max",
        "approach_m_s_max",
        "closing_cm_max",
        "feet",
    }


def test_over_blocks_the_largest_counts_and_what_differs_is_not_told():
    assert NETWORK["slip_mm_max"].over_blocks([0.2, None, 0.7]) == 0.7
    assert NETWORK["slip_mm_max"].over_blocks([None]) is None
    assert NETWORK["rule"].over_blocks(["lively", "phasor"]) is None
    one, other = ({"mean": mean, "max": mean, "hotspots": 1, "samples": n} for mean, n in ((0.1, 30), (0.4, 10)))
    assert NETWORK["uhd"].over_blocks([one, other])["mean"] == (0.1 * 30 + 0.4 * 10) / 40
