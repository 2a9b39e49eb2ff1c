"""Values of the wrong kind are answered in one line that says what was expected, and change nothing.

All in one process of its own, for here every call is checked against its signature before it begins.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import json
import numpy as np
import mocapella as mo
from mocapella.editing.filters.frequency import threshold
from mocapella.editing.filters.posing import pose as pose_at
from mocapella.editing.paths import bend_path, follow_path
from mocapella.actor import CLEAN, perform
from mocapella.blending.bank import blend
from mocapella.blending.arithmetic import with_flight, with_quality
from benchmarks.baselines import slerp_chain, time_domain_blend
from mocapella.steering.calibration import Calibration, calibrated
from mocapella.hybrid.splice import splice
from mocapella.building.layout.evening import smooth_nodes
from mocapella.blending.rules import between_blend
from mocapella.building.layout.placement import stretch_axis
from mocapella.blending.sliding import brought_in
from mocapella.motion.spectrum import whole_cycle
from mocapella.building.layout.as_played import as_played
from mocapella.gait.root_motion import played_rates
from mocapella.editing.trajectory import blend_frames, blend_trajectories

clip = perform("walk", speed=1.2, imperfections=CLEAN)[0]
cycle = mo.prepare(clip)
motion = mo.analyse(cycle, harmonics=6)
nodes = [mo.Node(name, at, motion) for name, at in (("a", (0, 0)), ("b", (1, 0)), ("c", (0, 1)))]
network = mo.Network(nodes)
player = mo.Player(network)
cascade = mo.Cascade(network, {"a": network}, {"a": (0.1, 0.1)})
chain = Calibration(mo.Network(nodes[:2]))
fast = mo.analyse(mo.prepare(perform("walk", speed=1.6, imperfections=CLEAN)[0]), harmonics=6)
left = mo.analyse(mo.prepare(perform("walk", speed=1.4, turn=0.6, imperfections=CLEAN)[0]), harmonics=6)
rates = Calibration(network.with_spectra({"b": fast, "c": left}))

stacked = np.stack([motion.coefficients] * 3)
even = np.full((7, 3), 1 / 3)
way = np.zeros((2, 2))

def pose():
    return [player.time, *player.position, *player.step(0.0).positions.ravel().tolist()]

calls = {
    "a clip analysed": lambda: mo.analyse(clip),
    "a clip analysed, what helps": lambda: mo.analyse(clip),
    "a raw cycle analysed": lambda: mo.analyse(mo.find_cycle(clip)),
    "one cycle synchronised": lambda: mo.synchronise(cycle),
    "clips synchronised": lambda: mo.synchronise([clip]),
    "a cycle of a file": lambda: mo.find_cycle("walk.bvh"),
    "plants of a cycle": lambda: mo.find_plants(cycle),
    "a file prepared": lambda: mo.prepare("walk.bvh"),
    "a clip mirrored": lambda: mo.mirrored(clip),
    "a file closed": lambda: mo.cyclify("walk.bvh"),
    "a cycle begun nowhere": lambda: cycle.starting_at(float("nan")),
    "half a round": lambda: cycle.to_clip(1.5),
    "half a frame": lambda: clip.pose(1.5),
    "a frame too far": lambda: clip.pose(10**6),
    "half a harmonic": lambda: mo.analyse(cycle, harmonics=2.5),
    "half a harmonic kept": lambda: motion.truncated(2.5),
    "half a harmonic blended": lambda: mo.Network(nodes, harmonics=2.5),
    "a name that is a number": lambda: mo.Node(3, (0, 0), motion),
    "a node of a cycle": lambda: mo.Node("a", (0, 0), cycle),
    "a node alone": lambda: mo.Network(nodes[0]),
    "a node that is none": lambda: mo.Network([*nodes, motion]),
    "a number for an interpolant": lambda: mo.Network(nodes, interpolant=4),
    "a node moved to letters": lambda: network.moved({"a": "ab"}),
    "a step of letters": lambda: player.step("a"),
    "a step of nothing": lambda: player.step(None),
    "a point of letters": lambda: setattr(player, "point", "ab"),
    "a position of one": lambda: mo.Player(network, position=(1,)),
    "a position of three": lambda: mo.Player(network, position=(1, 2, 3)),
    "a position of letters": lambda: mo.Player(network, position="ab"),
    "a heading of letters": lambda: mo.Player(network, heading="north"),
    "an ease of letters": lambda: mo.Player(network, ease="slow"),
    "a join of letters": lambda: mo.Player(network, join="soft"),
    "an inner point of letters": lambda: cascade.moved("a", "ab"),
    "all points of letters": lambda: cascade.blend("abcd"),
    "a step of more than any": lambda: player.step(10**400),
    "a step of too many digits": lambda: player.step(10**5000),
    "a step of an array": lambda: player.step(np.array([0.01])),
    "a point of numbers in letters": lambda: setattr(player, "point", ("1", "2")),
    "a point of too many digits": lambda: setattr(player, "point", (10**5000, 0)),
    "a blend at numbers in letters": lambda: network.blend(("1", "2")),
    "a blend at more than any": lambda: network.blend((10**400, 0)),
    "a cascade's blend in letters": lambda: cascade.blend(("1", "2")),
    "a node at numbers in letters": lambda: mo.Node("a", ("1", "2"), motion),
    "a node at more than any": lambda: mo.Node("a", (10**400, 2), motion),
    "a node that is synchronised in letters": lambda: mo.Node("a", (1, 2), motion, synchronised="no"),
    "a duration in letters": lambda: mo.Spectrum(motion.coefficients, "1"),
    "a frame rate in letters": lambda: clip.resampled("60"),
    "a recording of letters": lambda: mo.record(player, seconds="1"),
    "a recording at letters": lambda: mo.record(player, seconds=1, frame_rate="60"),
    "a recording by letters": lambda: mo.record(player, seconds=1, script="x"),
    "a recording of nobody": lambda: mo.record(None, seconds=1),
    "a heading of more than any": lambda: mo.Player(network, heading=10**400),
    "a pace in letters": lambda: mo.Player(network, pace="1"),
    "a rate of letters": lambda: rates.request("a", 1),
    "a rate of letters in a chain": lambda: chain.request(0, "a"),
    "a rule between letters": lambda: between_blend("x"),
    "weights of letters": lambda: blend([motion, motion], ("0.5", "0.5")),
    "a share of letters": lambda: blend_frames(clip, clip, "x"),
    "a clip that is none": lambda: blend_frames(clip, cycle, 0.5),
    "feet of a network": lambda: mo.lock_feet(network),
    "a path of a network": lambda: follow_path(network, points=[(0, 0), (0, 1)]),
    "a path of a file": lambda: follow_path("walk.bvh", points=[(0, 0), (0, 1)]),
    "handles of a cycle": lambda: bend_path(cycle, moves=[(0, 0, 0.1)]),
    "a pose of a network": lambda: pose_at(network, joint="head", frame=0, place=(0, 1, 0)),
    "a filter of a network": lambda: threshold(network),
    "a flight of letters": lambda: with_flight(motion, time="long"),
    "a fineness of letters": lambda: stretch_axis(network, "2"),
    "a speed wanted in letters": lambda: mo.find_cycle(clip, speed="fast"),
    "a cascade in a cascade": lambda: mo.Cascade(network, {"a": cascade}, {"a": (0.1, 0.1)}),
    "a cascade of a motion": lambda: mo.Cascade(motion, {"a": network}, {"a": (0.1, 0.1)}),
    "a cascade of a list": lambda: mo.Cascade(network, [network], [(0.1, 0.1)]),
    "calibrated by a list": lambda: calibrated([motion]),
    "calibrated cycles": lambda: calibrated({"a": cycle}),
    "calibrated by letters": lambda: calibrated({"a": motion}, measure="speed"),
    "a calibration of a motion": lambda: Calibration(motion),
    "a calibration in half steps": lambda: Calibration(network, steps=2.5),
    "a blend by a name": lambda: blend([motion, motion], (0.5, 0.5), rule="phasr"),
    "a blend of one alone": lambda: blend(motion, (1,)),
    "a blend of cycles": lambda: blend([cycle, cycle], (0.5, 0.5)),
    "a quality of letters": lambda: with_quality(motion, motion, motion, "x"),
    "a quality without end": lambda: with_quality(motion, motion, motion, np.inf),
    "a quality of a cycle": lambda: with_quality(motion, cycle, motion),
    "a way of letters": lambda: blend_trajectories("ab", "cd", 0.5),
    "a way in space": lambda: blend_trajectories(np.zeros((2, 3)), np.zeros((2, 3)), 0.5),
    "a way to nowhere": lambda: blend_trajectories(way, np.array([[0.0, 0.0], [0.0, np.nan]]), 0.5),
    "no way": lambda: blend_trajectories(way[:0], way[:0], 0.5),
    "an average of nothing": lambda: time_domain_blend([], even[0]),
    "an average of cycles": lambda: time_domain_blend([cycle] * 3, even[0]),
    "an average without weights": lambda: time_domain_blend([cycle.dofs] * 2, even[0]),
    "a chain of slerps without weights": lambda: slerp_chain(np.eye(4)[:2], even[0]),
    "half a corner": lambda: mo.Network(nodes, triangles=[(0.5, 1, 2)]),
    "half a corner left": lambda: network.limited_to([(0.5, 1, 2)]),
    "no corner": lambda: mo.Network(nodes, triangles=[(None, 1, 2)]),
    "a corner of nobody": lambda: mo.Network(nodes, triangles=[("a", "b", "x")]),
    "corners without triangles": lambda: mo.Network(nodes, triangles=[0, 1, 2]),
    "a number of triangles": lambda: mo.Network(nodes, triangles=3),
    "single-source harmonics by number": lambda: mo.Network(nodes, single_source=3),
    "half a single-source harmonic": lambda: mo.SingleSource(first=2.5),
    "a truth for a single-source harmonic": lambda: mo.SingleSource(first=True),
    "winners of letters": lambda: mo.SingleSource(winners=("ab", "cd")),
    "a position beyond reason": lambda: mo.Player(network, position=(1e308, -1e308)),
    "a heading beyond reason": lambda: mo.Player(network, heading=-1e300),
    "a complex position": lambda: mo.Player(network, position=np.array([1j, 0.0])),
    "a complex point": lambda: mo.Player(network, point=np.array([1j, 0.0])),
    "a complex heading": lambda: mo.Player(network, heading=np.complex64(1j)),
    "complex points of a crowd": lambda: mo.Crowd(network, 1, points=np.array([[1j, 0.0]])),
    "positions of a crowd in text": lambda: mo.Crowd(network, 1, positions=[["1", "2"]]),
    "positions of a crowd beyond reason": lambda: mo.Crowd(network, 1, positions=[[1e308, -1e308]]),
    "headings of a crowd beyond reason": lambda: mo.Crowd(network, 1, headings=[1e300]),
    "an outside of numbers": lambda: mo.Network(nodes, outside=np.zeros(2)),
    "places in a list": lambda: network.moved([(0, 1)]),
    "spectra in a list": lambda: network.with_spectra([motion]),
    "one node more": lambda: network.with_nodes(nodes[0]),
    "an edge of the outline": lambda: network.flipped("a", "b"),
    "layers at letters": lambda: mo.layered([network, network], ("low", "high")),
    "layers without names": lambda: mo.layered([network, network], (0, 1), names=("low",)),
    "layers of motions": lambda: mo.layered([motion, motion], (0, 1)),
    "one layer": lambda: mo.layered(network, (0, 1)),
    "a motion in step": lambda: mo.in_step_with(motion, network),
    "a motion evened": lambda: smooth_nodes(motion),
    "kinds in a list": lambda: smooth_nodes(network, kinds=["a"]),
    "a motion eased": lambda: stretch_axis(motion, 2),
    "a cycle of half a frame": lambda: whole_cycle(motion.coefficients, 2.5),
    "letters brought in": lambda: brought_in(network, "ab"),
    "a flight of a cycle": lambda: with_flight(cycle, time=1.2),
    "a motion stored": lambda: mo.save(motion, "net.moca"),
    "blocks without names": lambda: mo.HybridNetwork(network),
    "a draft without names": lambda: mo.HybridBuilder(network),
    "a transition of a motion": lambda: mo.find_transition(motion),
    "a chain of motions": lambda: splice(motion, motion),
    "a motion as played": lambda: as_played(motion, played_rates),
    "axes by a name": lambda: mo.build_network([cycle], axes="turn-speed"),
    "no motions": lambda: mo.build_network(None),
    "a motion that is none": lambda: mo.build_network([cycle, None]),
    "a file in place of a list": lambda: mo.build_network("x.bvh"),
    "a motion in place of a list": lambda: mo.build_network(cycle),
}
before = pose()
answers = {}
for name, call in calls.items():
    try:
        call()
        answers[name] = "nothing was raised"
    except mo.MotionError as error:
        answers[name] = "refused: " + str(error)
    except Exception as error:
        answers[name] = repr(error)
answers["changed"] = pose() != before
answers["numbers"] = [player.step(number) is not None for number in (np.array(0.01), np.float32(0.01), 1, True)]
print(json.dumps(answers))
"""

EXPECTED = {
    "feet of a network": "expected a clip, got Network(",
    "a path of a network": "expected a clip, got Network(",
    "a path of a file": "load('walk.bvh') makes one",
    "handles of a cycle": "expected a clip, got Cycle(",
    "a pose of a network": "expected a clip, got Network(",
    "a filter of a network": "expected a clip, got Network(",
    "a clip analysed": "expected a cycle, got Clip(",
    "a clip analysed, what helps": "; cyclify(find_cycle(clip)) makes one",
    "a raw cycle analysed": "; cyclify(found) makes one",
    "one cycle synchronised": "expected a list of cycles, got Cycle(",
    "clips synchronised": "; cyclify(find_cycle(clip)) makes one",
    "a cycle of a file": "expected a clip, got 'walk.bvh'; load('walk.bvh') makes one",
    "plants of a cycle": "expected a clip, got Cycle(",
    "a file prepared": "load('walk.bvh') makes one",
    "a clip mirrored": "expected a cycle, got Clip(",
    "a file closed": "find_cycle(load('walk.bvh')) makes one",
    "a cycle begun nowhere": "expected a phase to begin at, radians, got nan",
    "half a round": "expected a number of rounds, at least one, got 1.5",
    "half a frame": "expected a frame of the clip, from 0 to ",
    "a frame too far": ", got 1000000",
    "half a harmonic": "a whole number of harmonics from 0 on, got 2.5",
    "half a harmonic kept": "a whole number of harmonics from 0 on, got 2.5",
    "half a harmonic blended": "a whole number or None for harmonics, got 2.5",
    "a name that is a number": "expected text for name, got 3",
    "a node of a cycle": "analyse(cycle) makes one",
    "a node alone": "a single one is Network([node])",
    "a node that is none": "expected nodes, such as",
    "a number for an interpolant": "expected a function that gives weights",
    "a node moved to letters": "a blending point of 2 finite numbers",
    "a step of letters": "expected seconds from 0 on, got 'a'",
    "a step of nothing": "expected seconds from 0 on, got None",
    "a point of letters": "got 'ab'",
    "a position of one": "a position (x, z), two numbers of metres; got (1,)",
    "a position of three": "a position (x, z), two numbers of metres; got (1, 2, 3)",
    "a position of letters": "a position (x, z), two numbers of metres; got 'ab'",
    "a heading of letters": "a heading to begin with, radians, got 'north'",
    "an ease of letters": "expected ease from 0 s on, got 'slow'",
    "a join of letters": "joins to take 0 seconds or more, got 'soft'",
    "an inner point of letters": "a blending point of 2 finite numbers",
    "all points of letters": "numbers for x, y, a.x, a.y; got 'abcd'",
    "a step of more than any": "expected seconds from 0 on, got 1000",
    "a step of too many digits": "expected seconds from 0 on, got an int of very many digits",
    "a step of an array": "by one number: expected seconds from 0 on, got array([0.01])",
    "a point of numbers in letters": "finite coordinates, such as (0.4, 0.3); got ('1', '2')",
    "a point of too many digits": "finite coordinates, such as (0.4, 0.3); got ",
    "a blend at numbers in letters": "2 finite numbers up to 1e+09, got ('1', '2')",
    "a blend at more than any": "2 finite numbers up to 1e+09, got (1000",
    "a cascade's blend in letters": "numbers for x, y, a.x, a.y; got ('1', '2')",
    "a node at numbers in letters": "expected a list of numbers for at, got ('1', '2')",
    "a node at more than any": "lies at a point such as (0.5, 1.0), not at (1000",
    "a node that is synchronised in letters": "expected True or False for synchronised, got 'no'",
    "a duration in letters": "coefficients and duration must be finite numbers",
    "a frame rate in letters": "expected a frame rate above 0, got '60'",
    "a recording of letters": "expected to record for more than 0 s, got '1'",
    "a recording at letters": "expected a frame rate above 0, got '60'",
    "a recording by letters": "expected what steers, such as Script.of(rows), got 'x'",
    "a recording of nobody": "expected a player to record, got None",
    "a heading of more than any": "a heading to begin with, radians, got 1000",
    "a pace in letters": "expected a pace above 0, got '1'",
    "a rate of letters": "expected a finite turn rate and speed, got 'a' and 1",
    "a rate of letters in a chain": "expected a finite turn rate and speed, got 0 and 'a'",
    "a rule between letters": "expected gamma from 0 (streamlined) to 1 (phasor), got 'x'",
    "weights of letters": "expected 2 weights, one number per spectrum, got ('0.5', '0.5')",
    "a share of letters": "expected a share that is a number, got 'x'",
    "a clip that is none": "expected two clips to blend, got Cycle(",
    "a flight of letters": "expected flights of 0.4 to 4.0 times their time, got 'long'",
    "a fineness of letters": "expected a fineness above 0 and a centre that is a number, got '2'",
    "a speed wanted in letters": "expected a finite number for the wanted speed, got 'fast'",
    "a cascade in a cascade": "got Cascade(Network(3 nodes",
    "a cascade of a motion": "expected a network with nodes to put blends on, got Spectrum(",
    "a cascade of a list": "inner networks and their points by the names of nodes",
    "calibrated by a list": "expected spectra by the names of their nodes, such as {'slow': slow, 'fast': fast}, got [",
    "calibrated cycles": "expected spectra, such as analyse(cycle) makes one, got Cycle(",
    "calibrated by letters": "a function that measures turn rate and speed of a spectrum, got 'speed'",
    "a calibration of a motion": "expected a network, such as Network(nodes), got Spectrum(",
    "a calibration in half steps": "edges cut into a whole number of parts from 1 on, got 2.5",
    "a blend by a name": "expected a blend rule, one of lively, phasor",
    "a blend of one alone": "1.142 s); put a single one in [ ]",
    "a blend of cycles": "expected spectra, such as analyse(cycle) makes one, got Cycle(",
    "a quality of letters": "expected a scale that is a finite number, got 'x'",
    "a quality without end": "expected a scale that is a finite number, got inf",
    "a quality of a cycle": "expected spectra, such as analyse(cycle) makes one, got Cycle(",
    "a way of letters": "a way as rows of two numbers (x, z), at least one, got 'ab'",
    "a way in space": "a way as rows of two numbers (x, z), at least one, got array(",
    "a way to nowhere": "expected finite places on a way, got (0.0, nan) in row 1",
    "no way": "a way as rows of two numbers (x, z), at least one, got array(",
    "an average of nothing": "expected one weight per motion, at least one; got 0 motions",
    "an average of cycles": "expected cycles as arrays of frames and dofs, such as cycle.dofs, got [Cycle(",
    "an average without weights": "expected one weight per motion, at least one; got 2 motions",
    "a chain of slerps without weights": "expected 2 weights, one per rotation, got shape (3,)",
    "half a corner": "expected corners by names or whole numbers of nodes, got 0.5",
    "half a corner left": "expected corners by names or whole numbers of nodes, got 0.5",
    "no corner": "expected corners by names or whole numbers of nodes, got None",
    "a corner of nobody": "no node 'x'; there are a, b, c",
    "corners without triangles": "expected triangles such as [('a', 'b', 'c')], by names or numbers of nodes, got",
    "a number of triangles": "by names or numbers of nodes, got 3",
    "single-source harmonics by number": "single-source harmonics, such as SingleSource(first=6), or None, got 3",
    "half a single-source harmonic": "expected first as the number of a harmonic, got 2.5",
    "a truth for a single-source harmonic": "expected first as the number of a harmonic, got True",
    "winners of letters": "winners come as pairs of two different names",
    "a position beyond reason": "expected a position within 1,000 km, got (1e+308, -1e+308)",
    "a heading beyond reason": "expected a heading within a million radians, got -1e+300",
    "a complex position": "expected a position (x, z), two numbers of metres; got array([0.+1.j",
    "a complex point": "finite coordinates, such as (0.4, 0.3); got array([0.+1.j",
    "a complex heading": "expected a heading to begin with, radians, got",
    "complex points of a crowd": "expected points of shape (1, 2), got array([[0.+1.j",
    "positions of a crowd in text": "expected positions of shape (1, 2), got [['1', '2']]",
    "positions of a crowd beyond reason": "expected positions within 1,000 km, got 1e+308 m",
    "headings of a crowd beyond reason": "expected headings within a million radians, got 1e+300",
    "an outside of numbers": "expected 'clamp' or 'extrapolate' for outside",
    "places in a list": "places by the names of nodes, such as {'slow': (0.0, 0.8)}, got [(0, 1)]",
    "spectra in a list": "spectra by the names of nodes, such as {'slow': spectrum}, got [",
    "one node more": "a list of nodes, got Node(",
    "an edge of the outline": "a–b is on the outline; only a diagonal between two triangles can be flipped",
    "layers at letters": "finite numbers for the heights of layers, got ('low', 'high')",
    "layers without names": "expected 2 names, one per layer, got ['low']",
    "layers of motions": "networks, such as Network(nodes), for layers, got Spectrum(",
    "one layer": "a list of networks, one per layer, got Network(",
    "a motion in step": "expected a network, such as Network(nodes), got Spectrum(",
    "a motion evened": "expected a network, such as Network(nodes), got Spectrum(",
    "kinds in a list": "kinds by the names of nodes, such as {'sad 1': 'sad'}, got ['a']",
    "a motion eased": "expected a network, such as Network(nodes), got Spectrum(",
    "a cycle of half a frame": "expected a whole number of frames, at least one, got 2.5",
    "letters brought in": "a blending point of 2 finite numbers up to 1e+09, got 'ab'",
    "a flight of a cycle": "expected a spectrum, such as analyse(cycle) makes one, got Cycle(",
    "a motion stored": "expected a clip, a cycle, a network or an averaged motion, got Spectrum(",
    "blocks without names": "expected blocks by name, such as {'walking': network}, got Network(",
    "a draft without names": "expected blocks by name, such as {'walking': network}, got Network(",
    "a transition of a motion": "expected a clip, such as load(path) gives, got Spectrum(",
    "a chain of motions": "expected transitions, such as find_transition(clip) makes one, got Spectrum(",
    "a motion as played": "expected a network, such as Network(nodes), got Spectrum(",
    "axes by a name": "placement.AXES has (turn-speed, stride-speed, velocity), got 'turn-speed'",
    "no motions": "a list of motion files, clips or cycles, got None",
    "a motion that is none": "expected motion files, clips or cycles, found None among them",
    "a file in place of a list": "got 'x.bvh'; put a single one in [ ]",
    "a motion in place of a list": "a list of motion files, clips or cycles, got Cycle(",
}


@pytest.fixture(scope="module")
def answers():
    told = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    return json.loads(told.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_value_of_the_wrong_kind_is_refused_in_one_line(answers, name):
    assert answers[name].startswith("refused: ")
    assert EXPECTED[name] in answers[name]
    assert "\n" not in answers[name]


def test_every_kind_of_number_is_a_number(answers):
    assert answers["numbers"] == [True] * 4


def test_what_was_refused_changed_nothing(answers):
    assert answers["changed"] is False
