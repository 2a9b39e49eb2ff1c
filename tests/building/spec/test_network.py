"""Networks as a TOML file describes them; what it must not say is refused with line and reason."""

import re

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, perform
from mocapella.blending.interpolants import nearest_neighbours
from mocapella.blending.rules import naive_blend
from mocapella.building.build import build
from mocapella.building.spec.make import build_spec
from mocapella.building.spec.network_spec import read_spec
from mocapella.errors import FormatError, MotionWarning, NetworkError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three walks in a folder, one of them in a folder below."""
    place = tmp_path_factory.mktemp("walks")
    (place / "turns").mkdir()
    for name, speed, turn in (("slow", 0.9, 0.0), ("fast", 1.6, 0.0), ("turns/left", 1.4, 0.6)):
        mo.save(perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0], place / f"{name}.bvh")
    return place


def spec(folder, text):
    path = folder / "spec.toml"
    path.write_text(text)
    return path


def node(name, **keys):
    words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in keys.items()}
    lines = [f"{key} = {value!r}" if isinstance(value, str) and value not in ("true", "false") else f"{key} = {value}"
             for key, value in words.items()]  # fmt: skip
    return "\n".join(["[[nodes]]", f'name = "{name}"', *lines, ""])


WALKS = node("slow", file="slow.bvh") + node("fast", file="fast.bvh") + node("left", file="turns/left.bvh")
SUM = node("slow left", base="slow", plus="left", minus="fast", scale=0.5)


def test_a_spec_says_everything(folder):
    text = 'harmonics = 6\nrule = "naive"\noutside = "extrapolate"\ntriangles = [["slow", "fast", "left"]]\n'
    text += node("slow", file="slow.bvh", at=[0.0, 0.0], frames=[30, 330], speed=0.9, turn=0.0)
    text += node("fast", file="fast.bvh", at=[0.0, 1.0]) + node("left", file="turns/left.bvh", at=[1.0, 0.5])
    network = build_spec(spec(folder, text)).network
    assert network.points.tolist() == [[0.0, 0.0], [0.0, 1.0], [1.0, 0.5]]
    assert (network.rule, network.outside, network.n_harmonics) == (naive_blend, "extrapolate", 6)
    assert len(network.triangles) == 1


def test_a_node_of_another_body_is_retargeted_to_the_usual_one(folder):
    mo.save(perform("walk", height=1.4, speed=1.1, imperfections=CLEAN)[0], folder / "child.bvh")
    with pytest.warns(MotionWarning, match=r"retargeted to the skeleton that most motions have: child \(legs 1\.2"):
        built = build_spec(spec(folder, WALKS + node("child", file="child.bvh")))
    assert len(built.network.nodes) == 4
    assert any(step.startswith("retarget: ") for step in built.origins["child"].steps)


def test_what_a_spec_leaves_open_is_done_as_without_one(folder):
    made = build_spec(spec(folder, WALKS)).network
    plain = build([folder / "slow.bvh", folder / "fast.bvh", folder / "turns/left.bvh"], mirror=False).network
    np.testing.assert_array_equal(made.points, plain.points)
    for one, two in zip(made.nodes, plain.nodes, strict=True):
        np.testing.assert_allclose(one.spectrum.coefficients, two.spectrum.coefficients, atol=1e-12)


def test_nodes_placed_by_hand_keep_all_their_triangles_whatever_the_unit(folder):
    corners = [("a", (0.0, 0.0)), ("b", (1.0, 0.0)), ("c", (0.0, 1.0)), ("d", (1.0, 1.0)), ("e", (0.5, 0.4))]
    text = "".join(node(name, file="slow.bvh", at=list(at)) for name, at in corners)
    assert len(build_spec(spec(folder, text)).network.triangles) == 4


def test_a_spec_may_lay_out_by_stride_and_speed(folder):
    text = 'axes = "stride-speed"\n' + node("slow", file="slow.bvh") + node("fast", file="fast.bvh")
    for one in build_spec(spec(folder, text)).network.nodes:
        np.testing.assert_allclose(one.at, (one.spectrum.speed * one.spectrum.duration, one.spectrum.speed))


def test_a_spec_that_leaves_turns_out_names_nodes_that_turn(folder):
    with pytest.warns(MotionWarning, match="turn by chance: left"):
        build_spec(spec(folder, 'axes = "stride-speed"\n' + WALKS))


def test_a_node_takes_the_very_frames_it_names_and_closes_them_as_it_says(folder):
    text = WALKS + node("marked", file="slow.bvh", frames=[40, 190], exact=True, method="smooth")
    text += node("mended", file="slow.bvh", limp=True, at=[5.0, 5.0])
    built = build_spec(spec(folder, text))
    marked = next(one for one in built.network.nodes if one.name == "marked")
    assert marked.spectrum.duration == pytest.approx(150 / 120)
    assert any("method smooth" in step for step in built.origins["marked"].steps)
    assert any(step.startswith("limp") for step in built.origins["mended"].steps)


def test_nodes_can_be_mirrored_and_made_of_others(folder):
    text = WALKS + node("right", file="turns/left.bvh", mirrored=True)
    text += SUM
    built = build_spec(spec(folder, text))
    spectra = {node.name: node.spectrum for node in built.network.nodes}
    assert spectra["right"].turn == pytest.approx(-spectra["left"].turn)
    half = spectra["slow"].duration + 0.5 * (spectra["left"].duration - spectra["fast"].duration)
    assert spectra["slow left"].duration == pytest.approx(half)
    assert built.origins["slow left"].source == "slow + 0.5 (left − fast)"
    assert built.origins["right"].source == "turns/left.bvh"


def test_a_sum_that_turns_more_than_a_turn_a_cycle_is_doubtful(folder):
    with pytest.warns(MotionWarning, match=r"'slow left' turns \+\d+° a cycle; a smaller scale than 9 keeps it within"):
        build_spec(spec(folder, WALKS + SUM.replace("0.5", "9")))


def test_an_offset_set_by_hand_is_kept_and_the_others_fall_in_step_with_it(folder):
    first = build_spec(spec(folder, node("slow", file="slow.bvh", offset=0.0) + node("fast", file="fast.bvh"))).network
    later = build_spec(spec(folder, node("slow", file="slow.bvh", offset=7.0) + node("fast", file="fast.bvh"))).network
    slow = first.node("slow").spectrum
    frames = slow.duration * 120.0
    turned = slow.starting_at(2 * np.pi * 7.0 / frames)
    np.testing.assert_allclose(later.node("slow").spectrum.coefficients, turned.coefficients, atol=1e-9)
    np.testing.assert_allclose(
        later.node("fast").spectrum.coefficients,
        first.node("fast").spectrum.starting_at(2 * np.pi * 7.0 / frames).coefficients,
        atol=1e-6,
    )


def test_a_node_can_keep_its_own_time(folder):
    network = build_spec(spec(folder, WALKS + node("idle", file="slow.bvh", synchronised=False, at=[0.0, 0.0]))).network
    assert [node.synchronised for node in network.nodes] == [True, True, True, False]


def test_wanted_turns_are_degrees_per_cycle(folder):
    network = build_spec(spec(folder, node("left", file="turns/left.bvh", turn=36.0))).network
    assert np.degrees(network.nodes[0].spectrum.turn) == pytest.approx(36.0, abs=8.0)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('harmonic = 8\n[[nodes]]\nname = "a"\nfile = "slow.bvh"\n', 1, "did you mean 'harmonics'"),
        ('[[nodes]]\nname = "a"\nflie = "slow.bvh"\n', 3, "did you mean 'file'"),
        ('[[nodes]]\nname = "a"\nfile = 7\n', 3, "file: Expected str"),
        ('[[nodes]]\nname = "a"\nfile = "slow.bvh"\nat = [1.0]\n', 4, "at: "),
        ('[[nodes]]\nname = "a"\nfile = "slow.bvh"\nframes = [1.5, 2]\n', 4, "frames: Expected int"),
        ('[[nodes]]\nname = "a"\nfile = "slow.bvh"\nspeed = nan\n', 4, "speed: expected a finite number"),
        ('[[nodes]]\nname = "a"\nfile = "slow.bvh"\nat = [0.0, inf]\n', 4, "at: expected a finite number"),
        ('[[nodes]]\nname = "a"\nfile = "slow.bvh"\nframes = [0, 9999999]\n', 4, "frames: expected a finite"),
        (
            '[[nodes]]\nname = "a"\nfile = "slow.bvh"\nframes = [500, 100]\n',
            4,
            "frames: expected a first frame and a later",
        ),
        ('interpolant = "smooth"\n' + WALKS, 1, "there is no interpolant 'smooth'; there are triangles, natural"),
        (
            'rule = "magic"\n[[nodes]]\nname = "a"\nfile = "slow.bvh"\n',
            1,
            "rule: there is no 'magic'; there are lively",
        ),
        ('[[nodes]]\nname = "a"\n', 2, "needs a file, or base, plus and minus"),
        ('[[nodes]]\nname = "a"\nbase = "b"\n', 2, "needs a file, or base, plus and minus"),
        ('[[nodes]]\nfile = "slow.bvh"\n', 1, "missing required field name"),
        ("nodes = 3\n", 1, "expected nodes"),
        ("harmonics = 8\n", 0, "expected nodes"),
        ("[[nodes]\n", 1, "is not TOML"),
        ("even = 1\n" + WALKS, 1, "even: Expected bool"),
        ("evened = true\n" + WALKS, 1, "did you mean 'even'"),
        (node("a", file="slow.bvh", kind="sad"), 4, "say even = true as well"),
        (node("a", file="slow.bvh", exact=True), 4, "is exact, but says no frames"),
        (node("a", file="slow.bvh", method="smoth"), 4, "did you mean 'smooth'"),
        (node("a", file="slow.moca", method="smooth"), 4, "method means nothing there"),
        (node("a", file="slow.bvh", frames=[1, 90], exact=True, speed=1.1), 6, "so speed has nothing to choose"),
        (node("a", file="slow.bvh", frames=[1, 90], exact=True, turn=9), 6, "so turn has nothing to choose"),
        (node("a", file="slow.bvh", frames=[1, 90], exact=True, turning=False), 6, "turning has nothing to choose"),
        (node("a", file="slow.bvh", unit="furlong"), 4, "unit: expected a unit of m, cm"),
        (node("a", file="slow.bvh", frame_rate=-3), 4, "frame_rate: expected a frame rate above 0"),
        (node("a", file="07.asf"), 3, "file: a skeleton without motion"),
        ("harmonics = -3\n" + WALKS, 1, "harmonics: expected a whole number from 0 on, found -3"),
        ("[single_source]\nfirst = -2\n" + WALKS, 1, "single_source: the SSH band begins at harmonic 1"),
        ('triangles = [["slow", "slow", "left"]]\n' + WALKS, 1, "triangles: expected different corners"),
        (WALKS + WALKS, 11, "two nodes are called 'slow'"),
        ('triangles = [["slow", "fast", "lift"]]\n' + WALKS, 1, "did you mean 'left'"),
        (WALKS + node("d", base="slow", plus="left", minus="fats"), 14, "did you mean 'fast'"),
        (WALKS + node("d", base="slow", plus="left", minus="fast", speed=1.0), 15, "speed means nothing there"),
    ],
)
def test_a_spec_at_fault_is_reported_with_its_line(folder, text, line, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        read_spec(spec(folder, text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('rule = "phasr"', "rule: there is no 'phasr'; did you mean 'phasor'? There are lively, phasor, streamlined"),
        ('outside = "clmp"', "outside: there is no 'clmp'; did you mean 'clamp'? There are clamp, extrapolate"),
        (
            'axes = "speed"',
            "axes: there is no 'speed'; did you mean 'turn-speed'? There are turn-speed, stride-speed, velocity",
        ),
        ('layout = "eular"', "layout: there is no 'eular'; did you mean 'euler'? There are quaternion, euler"),
        ('interpolant = "naturl"', "no interpolant 'naturl'; did you mean 'natural'? There are triangles, natural"),
        ('method = "smoth"', "method: there is no 'smoth'; did you mean 'smooth'? There are "),
        ("offset = 1e99", "offset: expected a finite number from -1e+06 to 1e+06, found 1e+99"),
        ("scale = 60", "scale: expected a number from -10 to 10, found 60; 1 adds the whole difference"),
    ],
)
def test_a_slip_of_the_pen_is_answered_with_what_there_is(folder, line, words):
    of_a_node = line.startswith(("method", "offset"))
    text = SUM.replace("scale = 0.5", line) if line.startswith("scale") else ""
    text = f"{WALKS}{line}\n" if of_a_node else f"{WALKS}{text}" if text else f"{line}\n{WALKS}"
    with pytest.raises(FormatError, match=re.escape(words)) as caught:
        build_spec(spec(folder, text))
    assert text.splitlines()[caught.value.line - 1] == line


def test_frames_a_clip_has_not_are_told_in_the_words_of_the_spec(folder):
    told = r"spec.toml:4: a: frames = \[100, 99999\] is not a range of frames"
    for exact in (True, False):
        with pytest.raises(NetworkError, match=told) as caught:
            build_spec(spec(folder, node("a", file="slow.bvh", frames=[100, 99999], exact=exact)))
        assert "within" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (node("a", file="none.bvh"), r"spec.toml:3: a: .*none.bvh: there is no such file"),
        (node("a", file="slow.bvh", frames=[1, 5]), r"spec.toml:4: a: no cycle in .*frames = \["),
        (node("a", file="slow.bvh", roles="../roles.toml"), r"spec.toml:4: names '../roles.toml', which is not in"),
        ("[single_source]\nfirst = 99\n" + WALKS, "spec.toml:1: single_source: an SSH band from harmonic 99"),
        (
            'interpolant = "natural"\ntriangles = [["a", "b", "c"]]\n'
            + "".join(node(name, file="slow.bvh", at=[x, x]) for name, x in zip("abc", (0, 1, 2), strict=True)),
            "spec.toml:2: triangles: ",
        ),
    ],
)
def test_what_cannot_be_made_is_told_with_its_line(folder, text, reason):
    with pytest.raises(NetworkError, match=reason):
        build_spec(spec(folder, text))


def test_a_spec_may_ask_for_other_weights(folder):
    made = build_spec(spec(folder, 'interpolant = "nearest-2"\n' + WALKS)).network
    assert made.interpolant == nearest_neighbours(2)


@pytest.mark.parametrize("name", ["../outside.bvh", "/etc/passwd", "turns/../../outside.bvh", "C:/../../x.bvh"])
def test_files_outside_of_the_folder_are_not_read(folder, name):
    (folder.parent / "outside.bvh").write_bytes((folder / "slow.bvh").read_bytes())
    with pytest.raises((FormatError, NetworkError), match=r"spec.toml:3: .*(not in the folder|no such file)"):
        build_spec(spec(folder, node("a", file=name)))


def test_a_file_in_the_folder_may_be_named_by_its_whole_path(folder):
    whole = WALKS.replace("'slow.bvh'", f"'{folder / 'slow.bvh'}'")
    assert whole != WALKS
    assert build_spec(spec(folder, whole)).network.names == build_spec(spec(folder, WALKS)).network.names


def test_a_link_does_not_lead_out_of_the_folder(folder):
    (folder.parent / "outside.bvh").write_bytes((folder / "slow.bvh").read_bytes())
    link = folder / "link.bvh"
    link.symlink_to(folder.parent / "outside.bvh")
    with pytest.raises(NetworkError, match="not in the folder"):
        build_spec(spec(folder, node("a", file="link.bvh")))


def test_the_folder_can_be_named_by_whoever_runs_it(folder, tmp_path):
    path = spec(tmp_path, node("a", file="slow.bvh"))
    assert build_spec(path, folder=folder).network.names == ("a",)


def test_all_nodes_without_a_cycle_are_named(folder):
    text = node("a", file="none.bvh") + node("b", file="slow.bvh", frames=[0, 20]) + node("c", file="slow.bvh")
    with pytest.raises(NetworkError, match="2 of 3") as caught:
        build_spec(spec(folder, text))
    assert "a: " in str(caught.value)
    assert "b: " in str(caught.value)


def test_nodes_name_animations_of_a_file(folder, tmp_path):
    clips = [mo.load(folder / f"{name}.bvh") for name in ("slow", "fast", "turns/left")]
    mo.save(clips, folder / "pack.glb")
    text = "".join(node(name, file=f"pack.glb#{name}") for name in ("slow", "fast", "left"))
    made = build_spec(spec(folder, text), cache=tmp_path / "cache")
    again = build_spec(spec(folder, text), cache=tmp_path / "cache")
    plain = build_spec(spec(folder, WALKS)).network
    np.testing.assert_allclose(made.network.points, plain.points, atol=0.1)
    assert {name: origin.source for name, origin in made.origins.items()} == {
        name: f"pack.glb#{name}" for name in ("slow", "fast", "left")
    }
    assert again.origins == made.origins
    first = build_spec(spec(folder, node("slow", file="pack.glb")), cache=tmp_path / "cache")
    assert first.origins["slow"].source == "pack.glb#slow"
    assert len(build([folder / "pack.glb"], cache=tmp_path / "cache", mirror=False).network.nodes) == 3


def test_an_animation_of_a_file_outside_of_the_folder_is_not_read(folder, tmp_path):
    mo.save(mo.load(folder / "slow.bvh"), tmp_path / "pack.glb")
    (folder / "link.glb").symlink_to(tmp_path / "pack.glb")
    for name in ("link.glb#slow", f"../{tmp_path.name}/pack.glb#slow"):
        with pytest.raises(NetworkError, match="which is not in the folder"):
            build_spec(spec(folder, node("slow", file=name)))
