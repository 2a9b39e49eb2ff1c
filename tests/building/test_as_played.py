"""Laws of networks laid out as played: places tell the speed that is seen, and along edges it runs evenly."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import natural_neighbours
from mocapella.building.build import build
from mocapella.building.layout.as_played import STRAY
from mocapella.building.layout.as_played import as_played as laid_out
from mocapella.cli.main import main
from mocapella.errors import NetworkError
from mocapella.gait.root_motion import played_rates
from mocapella.measure.coherence import steepness
from mocapella.motion.layout import AHEAD

as_played = partial(laid_out, measure=played_rates)


@pytest.fixture(scope="module")
def walks():
    paces = [(0.9, 0.0), (1.5, 0.0), (1.2, 0.6)]
    clips = [perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0] for speed, turn in paces]
    return build([clip.renamed(str(i)) for i, clip in enumerate(clips)]).network


def strays(network, start, end):
    """How much speed, as played, runs back along an edge or leaves the range of its ends, of its mean."""
    stops = np.linspace(network.points[start], network.points[end], 11).tolist()
    speeds = np.array([played_rates(network.blend(stop))[1] for stop in stops])
    steps = np.diff(speeds) * np.sign(speeds[-1] - speeds[0])
    low, high = sorted((speeds[0], speeds[-1]))
    return max(-steps.min(), low - speeds.min(), speeds.max() - high) / speeds.mean()


def worst(network):
    edges = {tuple(sorted(pair)) for row in network.corners.tolist() for pair in itertools.combinations(row, 2)}
    return max(strays(network, *edge) for edge in edges)


def test_nodes_lie_at_the_speed_they_are_played_at(walks):
    for node in as_played(walks).nodes:
        np.testing.assert_allclose(node.at[1], played_rates(node.spectrum)[1], rtol=1e-9)


def test_motions_and_turns_stay_as_they_are(walks):
    made = as_played(walks)
    for node in walks.nodes:
        other = made.node(node.name)
        np.testing.assert_array_equal(other.spectrum.coefficients, node.spectrum.coefficients)
        assert other.at[0] == node.at[0]


def test_a_network_in_which_speed_runs_evenly_gets_no_more_nodes(walks):
    assert worst(walks) < STRAY
    assert as_played(walks).names == walks.names


def test_an_edge_is_parted_where_less_may_stray(walks):
    across = walks.flipped("0", "1")  # with an edge from the left turn to the right one
    plain = worst(as_played(across))
    made = as_played(across, stray=0.5 * plain)
    assert plain > 0.003
    assert worst(made) <= 0.5 * plain
    (new,) = made.nodes[len(walks.nodes) :]
    assert new.name == f"walk {new.at[1]:.1f} m/s"
    assert new.spectrum.name == "2 and 2 mirrored"
    assert abs(new.at[0]) < 5.0
    assert len(made.triangles) == 4


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")
def test_between_captured_sharp_turns_to_both_sides_speed_runs_evenly(data_folder):
    folder = data_folder / "cmu-bvh" / "16"
    network = build([folder / f"16_{take}.bvh" for take in (17, 19, 21, 15)]).network
    assert worst(network) > 2.0 * STRAY
    assert worst(as_played(network)) <= STRAY


def test_places_by_hand_and_other_shapes_are_refused(walks):
    with pytest.raises(NetworkError, match="only networks laid out by turn"):
        as_played(walks.moved({walks.names[0]: (50.0, 3.0)}))
    other = mo.Network(walks.nodes, interpolant=natural_neighbours)
    with pytest.raises(NetworkError, match="not in the plane and blended by triangles"):
        as_played(other)


def test_turns_on_the_spot_do_not_stray_by_millimetres():
    turn = perform("turn", turn=0.8, imperfections=CLEAN)[0].renamed("turn")
    walk = perform("walk", speed=0.9, imperfections=CLEAN)[0].renamed("walk")
    network = build([turn, walk]).network
    assert as_played(network).names == network.names == ("turn", "walk", "turn mirrored")


def test_who_stands_stays_where_he_stands_and_keeps_his_own_time():
    stand = perform("stand", seconds=12.0)[0].renamed("stand")
    paces = {"slow": (0.9, 0.0), "left": (1.3, 0.6), "right": (1.3, -0.6)}
    clips = [perform("walk", speed=v, turn=w, imperfections=CLEAN)[0].renamed(name) for name, (v, w) in paces.items()]
    network = build([*clips, stand]).network
    made = as_played(network)
    assert not made.node("stand").synchronised
    assert made.node("stand").at == network.node("stand").at
    for name in paces:
        np.testing.assert_allclose(made.node(name).at[1], played_rates(made.node(name).spectrum)[1], rtol=1e-9)


@pytest.mark.parametrize("stray", [float("nan"), -0.1, float("inf")])
def test_a_share_that_is_none_is_refused(walks, stray):
    with pytest.raises(NetworkError, match="expected a share of the speed from 0 on"):
        as_played(walks, stray=stray)


def test_straight_walks_lie_on_their_line_at_the_speeds_they_are_played_at():
    clips = [perform("walk", speed=speed, imperfections=CLEAN)[0].renamed(str(speed)) for speed in (0.9, 1.5)]
    for node in as_played(build(clips).network).nodes:
        np.testing.assert_allclose(node.at, (0.0, played_rates(node.spectrum)[1]), rtol=1e-9)


def test_a_network_is_built_as_played_unless_told_otherwise():
    clips = [perform("walk", speed=speed, imperfections=CLEAN)[0].renamed(str(speed)) for speed in (0.9, 1.5)]
    for node in mo.build_network(clips).nodes:
        np.testing.assert_allclose(node.at, (0.0, played_rates(node.spectrum)[1]), rtol=1e-9)
    for node in mo.build_network(clips, measure=None).nodes:
        np.testing.assert_allclose(node.at, (0.0, node.spectrum.speed), rtol=1e-9)


def test_the_function_and_the_command_place_nodes_alike(tmp_path):
    folder = tmp_path / "takes"
    folder.mkdir()
    for name, (speed, turn) in {"slow": (0.9, 0.0), "fast": (1.5, 0.0), "left": (1.2, 0.6)}.items():
        mo.save(perform("walk", speed=speed, turn=turn)[0], folder / f"{name}.bvh")
    files = sorted(folder.glob("*.bvh"))
    network = tmp_path / "network.moca"
    outcome = CliRunner().invoke(main, ["build", *map(str, files), "-o", str(network)])
    assert outcome.exit_code == 0, outcome.output
    stored, made = mo.load_network(network), mo.build_network(files)
    assert stored.names == made.names
    np.testing.assert_array_equal(stored.points, made.points)
    assert stored.triangles == made.triangles


def sliding(spectrum, share):
    """The same motion whose captured root went faster than its feet do."""
    coefficients = np.array(spectrum.coefficients)
    coefficients[:, AHEAD] *= share
    return replace(spectrum, coefficients=coefficients, name="sliding")


@pytest.mark.parametrize("turns", [(), (0.6, -0.6)])
def test_of_two_motions_that_are_played_on_one_spot_the_one_whose_feet_slid_less_stays(turns):
    paces = [(0.9, 0.0), (1.5, 0.0), *((1.1, turn) for turn in turns)]
    clips = [perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0] for speed, turn in paces]
    network = build([clip.renamed(str(i)) for i, clip in enumerate(clips)], mirror=False).network
    slid = sliding(network.node("1").spectrum, 1.3)
    both = mo.Network([*network.nodes, mo.Node("slid", (network.node("1").at[0], slid.speed), slid)])
    with pytest.warns(mo.MotionWarning, match="left out, for as played .*: slid"):
        made = as_played(both)
    assert set(network.names) <= set(made.names)
    assert "slid" not in made.names
    assert steepness(made).max() < 5.0


def test_motions_that_lay_on_one_spot_before_stay():
    clips = [perform("walk", speed=speed, style=style, imperfections=CLEAN)[0].renamed(f"{style} {speed}")
             for speed in (0.9, 1.5) for style in ("sad", "normal")]  # fmt: skip
    network = build(clips, thin=False).network
    assert as_played(network).names == network.names
