"""Networks joined by transitions: what is open when, what sits on which node, what is refused at the door."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mocapella.actor import perform
from mocapella.blending.network import Network
from mocapella.blending.places import Node
from mocapella.building.build import build
from mocapella.errors import NetworkError
from mocapella.geometry.simplices import overlap
from mocapella.hybrid.block import Block, connected, unwarned
from mocapella.hybrid.builder import HybridBuilder, PlacementRequest
from mocapella.hybrid.hybrid_network import Arc, ArcEnd, HybridNetwork, Mode
from mocapella.hybrid.seams import arc_seams
from mocapella.motion.travel import stands
from mocapella.rig.roles import find_roles
from tests.hybrid.hybrids import WALKS, block, draft, hybrid, transition

TWIRL = "walk-twirl-walk before"


def test_an_arc_has_a_direction_and_may_lead_back_to_its_node():
    walk_run, twirl = hybrid().arc("walk-run"), hybrid().arc("walk-twirl-walk")
    assert (walk_run.source, walk_run.target) == (
        ArcEnd("walking", "walk-run before"),
        ArcEnd("running", "walk-run after"),
    )
    assert (walk_run.stays, twirl.stays) == (False, True)
    assert [arc.name for arc in hybrid().arcs_from("walking", "change")] == ["walk-run", "walk-stand"]
    assert hybrid().arcs_from("walking", "blend") == ()
    assert [arc.name for arc in hybrid().arcs_from("running", "change")] == ["run-walk"]


def test_modes_differ_in_triangles_only():
    networks = [hybrid().network("walking", mode.name) for mode in hybrid().modes]
    for other in networks[1:]:
        assert other.bank is networks[0].bank
        assert other.nodes is networks[0].nodes
    assert len({network.triangles for network in networks}) == 3
    assert hybrid().network("walking", "twirl") is networks[2]


def test_a_mode_covers_the_same_ground_with_every_place_in_one_triangle():
    plain, armed = hybrid().network("walking", "blend"), hybrid().network("walking", "change")

    def area(network):
        a, b, c = np.moveaxis(network.points[network.corners], 1, 0)
        u, v = b - a, c - a
        return 0.5 * np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum()

    assert area(armed) == pytest.approx(area(plain))
    shapes = armed.points[armed.corners]
    for i in range(len(shapes)):
        assert not overlap(np.broadcast_to(shapes[i], shapes[i + 1 :].shape), shapes[i + 1 :]).any()


@given(st.floats(-20, 20), st.floats(0.8, 1.6), st.floats(-1, 1), st.floats(-1, 1))
def test_weights_vary_continuously_on_the_way_into_a_buffer_triangle(x, y, dx, dy):
    network = hybrid().network("walking", "change")
    step = 1e-6
    here, there = network.place((x, y)), network.place((x + step * dx * 10, y + step * dy))
    shares = np.zeros((2, len(network.nodes)))
    for row, place in zip(shares, (here, there), strict=True):
        row[place.nodes] = place.weights
    assert np.abs(shares[0] - shares[1]).max() < 1e-3


def test_a_transition_node_is_in_step_with_the_corners_of_its_buffer_triangles():
    walking = hybrid().block("walking")
    hip = find_roles(hybrid().skeleton)["left_hip"]
    column = walking.network.layout.columns(hip).start + 1  # of the swing about x
    for names in walking.buffers:
        *corners, node = (walking.network.node(name).spectrum.coefficients[1, column] for name in names)
        for corner in corners:
            assert abs(np.angle(node * np.conj(corner))) < 0.35


@pytest.mark.parametrize("name", ["walk-run", "run-walk", "walk-twirl-walk", "walk-stand"])
def test_joins_of_an_arc_are_no_jumps(name):
    for one in arc_seams(hybrid(), hybrid().arc(name)):
        assert one.pose < 0.003
        assert np.degrees(one.turn) < 2.0


def test_the_mirrored_version_of_an_arc_is_half_a_cycle_out_of_step():
    plain, mirrored = hybrid().arc("walk-run").versions
    apart = (mirrored.transition.leave_phase - plain.transition.leave_phase) % (2 * np.pi)
    assert apart == pytest.approx(np.pi, abs=0.3)
    assert arc_seams(hybrid(), mirrored)[0].pose < 0.05  # the actor's two sides are not quite alike
    assert hybrid().arc("run-walk").versions == (hybrid().arc("run-walk"),)


def test_what_follows_a_twirl_sits_on_its_node_until_it_is_left():
    arc = hybrid().arc("walk-twirl-walk")
    before, taken = hybrid().network("walking", "twirl"), hybrid().network("walking", "twirl", taken=arc)
    index = before.index(TWIRL)
    after = hybrid().after(arc)
    np.testing.assert_allclose(np.abs(taken.nodes[index].spectrum.coefficients), np.abs(after.coefficients))
    assert not np.allclose(before.nodes[index].spectrum.coefficients, taken.nodes[index].spectrum.coefficients)
    others = [i for i in range(len(before.nodes)) if i != index]
    np.testing.assert_array_equal(before.bank.coefficients[others], taken.bank.coefficients[others])
    assert taken.triangles == before.triangles
    assert hybrid().network("walking", "twirl") is before  # primed again, bit for bit
    assert hybrid().network("walking", "twirl", taken=arc) is taken
    assert hybrid().network("running", "twirl", taken=arc) is hybrid().network("running", "twirl")


def test_blocks_may_write_rotations_differently():
    walking, running = (hybrid().block(name).network for name in ("walking", "running"))
    assert (walking.layout.kind, running.layout.kind) == ("quaternion", "euler")
    assert hybrid().after(hybrid().arc("walk-run")).layout.kind == "euler"
    assert hybrid().before(hybrid().arc("walk-run")).layout.kind == "quaternion"


def test_a_block_that_is_not_there_is_founded_on_the_transition():
    standing = hybrid().block("standing").network
    assert standing.names == ("walk-stand after",)
    assert stands(standing.nodes[0].spectrum)
    grown = draft().with_transition(transition("stand-walk"), "standing", "walking")
    assert grown.blocks["standing"].network.names == ("walk-stand after", "stand-walk before")
    made = grown.finished([grown.mode("all", ["stand-walk", "walk-stand", "walk-run", "run-walk", "walk-twirl-walk"])])
    assert made.network("standing", "all").corners.shape == (1, 2)


def test_where_all_triangles_are_taken_a_node_goes_outside():
    grown = draft().with_transition(transition("stand-walk"), "standing", "walking")
    walking = grown.blocks["walking"]
    at = walking.network.node("stand-walk after").at
    assert not block(WALKS).place(at).inside
    assert sum("stand-walk after" in names for names in walking.buffers) == 1


def test_two_transitions_may_share_a_node_and_a_pair_of_nodes():
    shared = draft().with_transition(
        replace(transition("walk-run"), name="another way"),
        "walking",
        "running",
        leaving=PlacementRequest(TWIRL),
        arriving=PlacementRequest("walk-run after"),
    )
    again = shared.with_transition(
        replace(transition("walk-run"), name="a third way"),
        "walking",
        "running",
        leaving=PlacementRequest(TWIRL),
        arriving=PlacementRequest("walk-run after"),
    )
    assert set(again.blocks["walking"].network.names) == set(draft().blocks["walking"].network.names)
    modes = [
        again.mode("twirls", [arc.name for arc in draft().arcs]),
        again.mode("ways", ["another way", "a third way"]),
    ]
    made = again.finished(modes)
    assert [arc.name for arc in made.arcs_from("walking", "ways")] == ["another way", "a third way"]
    assert made.arc("another way").source == made.arc("a third way").source == ArcEnd("walking", TWIRL)


def test_a_node_can_be_put_beyond_an_edge_of_the_outline_with_named_neighbours():
    pairs = (("fast walk straight", "fast walk left"),)
    made = HybridBuilder({"walking": block(WALKS)}).with_transition(
        transition("walk-twirl-walk"), "walking", leaving=PlacementRequest("out there", beside=pairs)
    )
    walking = made.blocks["walking"]
    assert walking.buffers == (("fast walk straight", "fast walk left", "out there"),)
    assert not block(WALKS).place(walking.network.node("out there").at).inside
    armed = made.mode("armed", ["walk-twirl-walk"])
    assert len(armed.triangles["walking"]) == len(walking.plain) + 1  # nothing lies below it


def test_buffer_triangles_close_what_they_lie_over_and_what_they_cut_off():
    nodes = [
        Node(name, at, block(WALKS).nodes[0].spectrum)
        for name, at in (("a", (0, 0)), ("b", (1, 0)), ("c", (0, 1)), ("d", (1, 1)), ("e", (3, 0.5)), ("t", (1.3, 0.5)))
    ]
    plain = [("a", "b", "c"), ("b", "d", "c"), ("b", "e", "d")]
    with unwarned():
        network = Network(nodes, plain)
    over = Block(network, (("a", "c", "t"),), frozenset({"t"}))
    # It lies over all three; only what shares an edge with it would be left, and nothing does.
    assert over.armed(["t"]) == (("a", "c", "t"),)
    beside = Block(network, (("b", "d", "t"),), frozenset({"t"}))
    assert set(map(frozenset, beside.armed(["t"]))) == {frozenset("bdt"), frozenset("bdc"), frozenset("abc")}
    assert beside.armed([]) == beside.plain


def test_triangles_are_told_apart_by_the_edges_they_share():
    parts = connected([("a", "b", "c"), ("b", "c", "d"), ("d", "e", "f")])
    assert parts == [(("a", "b", "c"), ("b", "c", "d")), (("d", "e", "f"),)]


def test_keys_switch_modes_and_take_arcs():
    keys = hybrid().keys
    assert sorted(keys) == ["b", "c", "r", "t"]
    assert (keys["c"], keys["r"]) == (hybrid().mode("change"), hybrid().arc("walk-run"))


def test_names_that_mean_nothing_are_answered_with_those_there_are():
    with pytest.raises(NetworkError, match="no block 'flying'; there are walking, running, standing"):
        hybrid().network("flying", "blend")
    with pytest.raises(NetworkError, match="no mode 'panic'; there are blend, change, twirl"):
        hybrid().network("walking", "panic")
    with pytest.raises(NetworkError, match="no arc 'fly'; there are walk-run, "):
        hybrid().arc("fly")


def remade(**changes):
    parts = {"blocks": hybrid().blocks, "arcs": hybrid().arcs, "modes": hybrid().modes}
    return HybridNetwork(**{**parts, **changes})


def everything():
    walking = hybrid().block("walking")
    return {"walking": (*walking.plain, *walking.buffers)}


def children():
    return build([perform("walk", height=1.2)[0], perform("walk", height=1.2, speed=0.8)[0]]).network


def with_mode(*modes):
    return remade(modes=[*hybrid().modes, *modes])


def moved(arc, **changes):
    return remade(arcs=[replace(one, **changes) if one.name == arc else one for one in hybrid().arcs])


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: remade(modes=[]), "is open in no mode, so it could never be taken"),
        (lambda: with_mode(Mode("blend")), "two modes are called 'blend'"),
        (lambda: with_mode(Mode("other", key="c")), "the key 'c' is for mode 'change' and for mode 'other'"),
        (lambda: moved("run-walk", key="b"), "the key 'b' is for mode 'blend' and for arc 'run-walk'"),
        (lambda: moved("run-walk", name="walk-run"), "two arcs are called 'walk-run'"),
        (lambda: moved("run-walk", source=ArcEnd("flying", "x")), "arc 'run-walk': no block 'flying'"),
        (lambda: moved("run-walk", target=ArcEnd("walking", "x")), "arc 'run-walk': no node 'x'"),
        (lambda: with_mode(Mode("m", arcs=frozenset({"fly"}))), "mode 'm': no arc 'fly'"),
        (lambda: with_mode(Mode("m", arcs=frozenset({"walk-run"}))), "none of the triangles round 'walk-run before'"),
        (lambda: with_mode(Mode("m", triangles={"walking": (("a", "b", "c"),)})), "a–b–c, which is not a triangle"),
        (lambda: with_mode(Mode("m", triangles={"walking": ()})), "closes all of block 'walking'"),
        (
            lambda: with_mode(Mode("m", triangles=everything())),
            "cross; a point in both would have two blends",
        ),
        (lambda: remade(blocks={}), "needs at least one block"),
        (
            lambda: remade(blocks={**hybrid().blocks, "children": children()}),
            "block 'children' has another skeleton than 'walking'",
        ),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_when_it_is_made(make, reason):
    with pytest.raises(NetworkError, match=reason):
        make()


def test_a_region_that_cannot_be_reached_is_refused():
    plain = hybrid().block("walking").plain
    apart = next((one, other) for one in plain for other in plain if len(set(one) & set(other)) < 2 and one != other)
    with pytest.raises(NetworkError, match="cannot be reached from the others; regions of a mode share edges"):
        with_mode(Mode("m", triangles={"walking": apart}))


def test_buffer_triangles_that_lie_over_each_other_need_different_modes():
    pairs = (("slow walk straight", "fast walk straight"),)
    places = {"one": (8.0, 1.2), "two": (10.0, 1.15)}
    made = HybridBuilder({"walking": block(WALKS)})
    for name, at in places.items():
        twirl = replace(transition("walk-twirl-walk"), name=name)
        made = made.with_transition(twirl, "walking", leaving=PlacementRequest(f"{name} node", at, pairs))
    with pytest.raises(NetworkError, match=r"mode 'both'.*lie over each other; open them in different modes"):
        made.mode("both", ["one", "two"])
    modes = [made.mode("first", ["one"]), made.mode("second", ["two"])]
    assert len(made.finished(modes).modes) == 2


def test_an_arc_of_another_skeleton_is_refused():
    small = children()
    with pytest.raises(NetworkError, match="has another skeleton than block 'children'"):
        HybridBuilder({"children": small}).with_transition(transition("walk-run"), "children")
    arc = hybrid().arc("walk-twirl-walk")
    stop = ArcEnd("children", small.names[0])
    with pytest.raises(NetworkError, match="arc 'walk-twirl-walk' plays a clip of another skeleton"):
        HybridNetwork(
            {"children": small}, [replace(arc, source=stop, target=stop)], [Mode("m", arcs=frozenset({arc.name}))]
        )


def test_a_zone_is_a_weight():
    arc = hybrid().arc("walk-run")
    for zone in (0.0, -0.5, 1.01):
        with pytest.raises(NetworkError, match="expected a weight above 0, up to 1"):
            Arc("x", arc.transition, arc.source, arc.target, zone=zone)


def test_a_draft_refuses_names_that_are_taken_and_modes_for_nothing():
    with pytest.raises(NetworkError, match="there is an arc 'walk-run' already"):
        draft().with_transition(transition("walk-run"), "walking", "running")
    with pytest.raises(NetworkError, match="mode 'm' opens arc 'fly'; there are walk-run"):
        draft().mode("m", ["fly"])
    with pytest.raises(NetworkError, match="lies outside of the block"):
        draft().with_transition(
            replace(transition("walk-run"), name="x"), "walking", leaving=PlacementRequest(at=(500.0, 9.0))
        )


def test_without_modes_there_is_one_to_blend_in_and_one_with_every_arc():
    made = HybridBuilder({"walking": block(WALKS)}).with_transition(transition("walk-twirl-walk"), "walking").finished()
    assert [(mode.name, sorted(mode.arcs)) for mode in made.modes] == [("blend", []), ("armed", ["walk-twirl-walk"])]
