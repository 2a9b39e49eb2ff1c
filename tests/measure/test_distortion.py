"""Upper-harmonic distortion: what the metric must not see, what it must, and a slow way to the same number."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mocapella as mo
from benchmarks.tables.upper_harmonic_walks import walks as walks_of_subject_16
from mocapella.actor import capture, perform
from mocapella.blending.paired_plants import Stances
from mocapella.blending.rules import streamlined_blend
from mocapella.errors import MotionError
from mocapella.geometry import quaternions
from mocapella.geometry.angles import TURN
from mocapella.geometry.curves import catmull_rom
from mocapella.measure.distortion import Yardstick, aligned, bearings, distortion
from mocapella.measure.distortion_maps import Survey
from mocapella.measure.traced_points import Tracer
from mocapella.motion.contacts import CycleContacts
from mocapella.motion.kinematics import forward
from mocapella.motion.layout import layout_of
from mocapella.rig.roles import find_roles
from mocapella.studies.paper_tables import Sources
from mocapella.studies.published import by_rule


def with_spectra(network, change):
    return network.with_spectra({node.name: change(node.spectrum) for node in network.nodes})


# What is traced while the left and the right foot are planted, in the actor's skeleton; the end site of the last two.
TRACED = {
    "ankle": ("LeftFoot", "RightFoot"),
    "toe": ("LeftToeBase", "RightToeBase"),
    "end": ("LeftToeBase", "RightToeBase"),
    "hand": ("RightHand", "LeftHand"),
}


def slowly(network, point, traced="ankle"):
    """The metric as the thesis tells it: whole bodies on the spot, one motion, one foot and one segment at a time."""
    place, blend = network.place(point), network.blend(point)
    total, skeleton = 0.0, network.layout.skeleton
    for side, name in zip(("left", "right"), TRACED[traced], strict=True):
        joint = skeleton.index(name)
        (offset,) = (
            skeleton.end_offsets[skeleton.end_joints == joint] if traced in ("end", "hand") else np.zeros((1, 3))
        )

        def trace(spectrum, start, length, joint=joint, offset=offset):
            dofs = spectrum.at(start + length * np.linspace(0.0, 1.0, 64))
            rotations = spectrum.layout.rotations(dofs)
            places, turns = forward(skeleton, np.zeros((64, 3)), rotations)
            places = places[:, joint] + quaternions.rotate(turns[:, joint], offset)
            return catmull_rom(places[:, ::2], np.linspace(0.0, 63.0, 200))

        nodes = [network.nodes[i].spectrum.truncated(network.n_harmonics) for i in place.nodes]
        ((start, length),) = blend.contacts.foot(side)
        reference = sum(
            weight * trace(node, *node.contacts.foot(side)[0])
            for weight, node in zip(place.weights, nodes, strict=True)
        )
        angles = []
        for curve in (trace(blend, start, length), reference):
            x, z = (curve - curve[0]).T
            turn = np.arctan2(x[-1], -z[-1])
            along, across = -x * np.sin(turn) + z * np.cos(turn), x * np.cos(turn) + z * np.sin(turn)
            assert along[-1] < 0.0
            angles.append(np.arctan(np.diff(across) / np.diff(along)))
        apart = angles[0] - angles[1]
        apart -= np.pi * np.round(apart / np.pi)  # directions of lines
        total += np.sqrt(np.mean(apart**2))
    return total


@pytest.mark.parametrize("traced", TRACED)
def test_whole_bodies_traced_one_by_one_give_the_same_number(network, streamlined, inside, traced):
    for each in (network, streamlined):
        for point in inside[:3]:
            assert distortion(each, point, joint=traced) == pytest.approx(slowly(each, point, traced), rel=1e-6)


@pytest.mark.parametrize("rule", ["phasor", "streamlined"])
def test_nodes_have_no_distortion(network, streamlined, rule):
    found = Yardstick(network, network.points).measure(network if rule == "phasor" else streamlined)
    np.testing.assert_allclose(found.scores, 0.0, atol=1e-9)


def test_nodes_have_none_with_angles_for_dofs_either(walks):
    network = mo.build_network(walks, mirror=False, layout="euler", rule=streamlined_blend)
    np.testing.assert_allclose(Yardstick(network, network.points).measure().scores, 0.0, atol=1e-9)
    middle = network.points[network.corners[0]].mean(axis=0)
    assert distortion(network, middle) > 0.005


def test_one_motion_at_all_nodes_has_no_distortion_anywhere(network, inside):
    same = with_spectra(network, lambda _: network.nodes[0].spectrum)
    np.testing.assert_allclose(Yardstick(same, inside).measure().scores, 0.0, atol=1e-9)


def test_captures_made_elsewhere_and_facing_elsewhere_measure_the_same(walks, network, inside):
    elsewhere = mo.build_network([clip.turned(1.1 + i).moved(3.0, -2.0) for i, clip in enumerate(walks)],
                                 mirror=False)  # fmt: skip
    moved = elsewhere.moved(dict(zip(network.names, network.points.tolist(), strict=True)))
    np.testing.assert_allclose(
        Yardstick(moved, inside).measure().scores, Yardstick(network, inside).measure().scores, rtol=1e-3
    )


@pytest.mark.parametrize("phase", [0.7, 2.1, 4.4, 6.2])
def test_where_the_cycle_begins_does_not_matter_nor_that_a_stance_runs_over_its_end(network, inside, phase):
    begun = with_spectra(network, lambda spectrum: spectrum.starting_at(phase))
    np.testing.assert_allclose(
        Yardstick(begun, inside[:2]).measure().feet, Yardstick(network, inside[:2]).measure().feet, rtol=1e-6
    )


def test_finer_resampling_changes_next_to_nothing(streamlined, inside):
    coarse = Yardstick(streamlined, inside, samples=200).measure().scores
    fine = Yardstick(streamlined, inside, samples=1000).measure().scores
    np.testing.assert_allclose(coarse, fine, rtol=0.01)


def test_the_larger_a_wobble_the_larger_the_distortion(network):
    yardstick = Yardstick(network, network.points[:1])
    blend = yardstick.blends()
    hip = network.layout.columns(find_roles(network.layout.skeleton)["left_hip"])
    scores = []
    for size in (0.0, 0.001, 0.002, 0.005, 0.01, 0.02):
        wobbling = blend.copy()
        wobbling[0, 8, hip.stop - 1] += size
        found = yardstick.measure_blends(wobbling)
        assert found.feet[0, 1] == pytest.approx(0.0, abs=1e-9)  # the other leg does not know
        scores.append(found.scores[0])
    assert (np.diff(scores) > 0.0).all()


def test_leaps_of_the_arctangent_only_ever_add(streamlined, inside):
    plain = Yardstick(streamlined, inside).measure().scores
    printed = Yardstick(streamlined, inside, leaps=True).measure().scores
    assert (printed >= plain - 1e-12).all()


def test_bearings_are_those_of_lines_and_zero_where_a_trace_rests():
    trace = np.array([[0.0, 0.0], [1.0, -1.0], [1.0, -2.0], [1.0, -2.0], [2.0, -2.0], [3.0, -1.0]])
    np.testing.assert_allclose(bearings(trace), [-np.pi / 4, 0.0, 0.0, np.pi / 2, np.pi / 4])


@given(st.floats(-3.0, 3.0), st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.integers(0, 1000))
def test_alignment_undoes_any_place_and_heading(turn, x, z, seed):
    trace = np.cumsum(np.random.default_rng(seed).normal(size=(20, 2)) - [0.0, 1.0], axis=0)
    turned = trace @ np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) + [x, z]
    laid, by = aligned(trace)
    other, by_other = aligned(turned)
    np.testing.assert_allclose(other, laid, atol=1e-9)
    np.testing.assert_allclose(laid[0], 0.0)
    assert laid[-1, 0] == pytest.approx(0.0, abs=1e-9)
    assert laid[-1, 1] < 0.0
    assert np.exp(1j * (by - by_other - turn)) == pytest.approx(1.0)


def test_a_trace_that_goes_nowhere_is_not_turned():
    loop = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    np.testing.assert_allclose(aligned(loop)[0], [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])


def test_stances_of_heel_and_toe_are_one_over_the_seam():
    stances = Stances.of([CycleContacts(left_heel=((5.5, 1.5),), left_toe=((6.0, 2.0),), right_heel=((2.0, 3.0),))] * 2)
    assert stances.feet == (0, 1)
    np.testing.assert_allclose(stances.lengths, [[2.5, 3.0]] * 2)
    np.testing.assert_allclose(np.mod(stances.starts, TURN), [[5.5, 2.0]] * 2)


def test_a_foot_runs_backwards_under_the_body_on_a_nearly_straight_line(network):
    for stage in Yardstick(network, [(0.0, 1.2)]).traces(0):
        length = -stage.blend[-1, 1]
        assert 0.4 < length < 1.0
        assert np.abs(stage.blend[:, 0]).max() < 0.15 * length
        assert (np.sign(stage.places[:, 0].mean()) > 0) == (stage.foot == "left")


def test_runs_with_short_stances_are_measured():
    runs = mo.build_network([capture(f"{pace} run straight")[0] for pace in ("slow", "medium", "fast")])
    found = Yardstick(runs, runs.points[runs.corners].mean(axis=1)).measure()
    assert (found.scores > 0.0).all()  # NaN is not


def test_points_that_a_standing_node_has_a_say_in_are_not_measured(network):
    lazy = [replace(node, synchronised=i != 0) for i, node in enumerate(network.nodes)]
    yardstick = Yardstick(mo.Network(lazy, network.triangles), network.points)
    assert yardstick.measured.tolist() == [False, True, True, True]
    scores = yardstick.measure().scores
    assert np.isnan(scores).tolist() == [True, False, False, False]
    with pytest.raises(MotionError, match="takes no step"):
        yardstick.traces(0)


def test_a_node_whose_foot_never_rests_hardly_rests_or_never_leaves_the_ground_is_not_measured(network):
    name, spectrum = network.names[1], network.nodes[1].spectrum
    for arcs in ((), ((1.0, 0.12),), ((0.0, TURN),)):
        contacts = CycleContacts(left_heel=arcs, right_heel=spectrum.contacts.right_heel)
        odd = network.with_spectra({name: replace(spectrum, contacts=contacts)})
        assert Yardstick(odd, network.points).measured.tolist() == [True, False, True, True]
        with pytest.raises(MotionError, match="takes no step"):
            distortion(odd, network.points[1])


def test_what_cannot_be_measured_at_all_is_refused(network):
    bare = network.with_spectra({"1.6 0": replace(network.nodes[1].spectrum, contacts=None)})
    with pytest.raises(MotionError, match=r"no foot plants are known of 1\.6 0"):
        Yardstick(bare, network.points)
    numbers = mo.Network([mo.Node("a", (0, 0), mo.Spectrum(np.ones((3, 5), complex), 1.0))])
    with pytest.raises(MotionError, match="no layout"):
        Yardstick(numbers, [(0.0, 0.0)])
    with pytest.raises(MotionError, match="64 frames and 20 samples"):
        Yardstick(network, network.points, samples=20)
    with pytest.raises(MotionError, match="4 points, got 1 of"):
        Yardstick(network, network.points).measure_blends(np.zeros((1, 11, 3), complex))


def test_a_yardstick_for_another_point_is_that_of_the_point_alone(network, inside):
    ankles = Yardstick(network, inside)
    for point in TRACED:
        alone = Yardstick(network, inside, joint=point).measure().scores
        assert np.isfinite(alone).all()
        np.testing.assert_allclose(ankles.tracing(point).measure().scores, alone)
    assert not np.allclose(ankles.measure().scores, ankles.tracing("end").measure().scores)


def test_a_point_that_a_skeleton_lacks_is_named():
    handless = perform("walk")[0].skeleton.with_roles({"left_wrist": ""})
    with pytest.raises(MotionError, match="no left_wrist; trace the ankles"):
        Tracer.of(layout_of("quaternion", handless), "hand")


def test_single_source_harmonics_lower_the_peak_at_ankles_and_not_at_toes(data_folder):
    network = walks_of_subject_16(Sources(data_folder))
    streamlined, switched = (by_rule(network, streamlined_blend, ssh) for ssh in (None, mo.SingleSource()))
    survey = Survey(network, columns=41, rows=11)
    peaks = {
        point: [each.map(rule).max for rule in (streamlined, switched, network)]
        for point, each in ((point, survey.tracing(point)) for point in ("ankle", "toe"))
    }
    assert peaks["ankle"][1] < 0.9 * peaks["ankle"][0]
    assert peaks["toe"][1] > peaks["toe"][0]
    for before, _, lively in peaks.values():
        assert lively < 0.5 * before


def test_linear_magnitudes_distort_captured_walks_more_than_phasors_do(data_folder):
    files = [data_folder / "cmu-bvh" / "16" / f"16_{take}.bvh" for take in (15, 21, 11, 19)]
    network = mo.build_network(files, mirror=False)
    streamlined = mo.Network(network.nodes, network.triangles, rule=streamlined_blend)
    yardstick = Yardstick(network, network.points[network.corners].mean(axis=1))
    phasors, linear = yardstick.measure().scores, yardstick.measure(streamlined).scores
    assert phasors.mean() < 0.7 * linear.mean()
    np.testing.assert_allclose(Yardstick(network, network.points).measure(streamlined).scores, 0.0, atol=1e-9)
