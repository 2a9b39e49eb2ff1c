"""Hybrid networks as a TOML file describes them; what it must not say is refused with line and reason."""

import functools
import math
import shutil

import numpy as np
import pytest

import mocapella as mo
from mocapella.actor import CLEAN, capture, perform
from mocapella.building.build import build
from mocapella.building.spec import make_hybrid
from mocapella.building.spec.hybrid import describes_hybrid, read_hybrid_spec
from mocapella.building.spec.make_hybrid import build_hybrid_spec
from mocapella.building.spec.spec_folder import SpecFolder
from mocapella.errors import FormatError, MotionError, MotionWarning, NetworkError
from mocapella.storage.values import save
from tests.editing.bodies import body

SPEC = """\
[[blocks]]
name = "walking"
files = ["walks"]

[[blocks]]
name = "running"
network = "running.moca"

[[transitions]]
name = "twirl"
file = "twirl.bvh"
source = "walking"
boundaries = [286, 650]

[[transitions]]
name = "off"
file = "off.bvh"
source = "walking"
target = "running"
target_node = "faster"
zone = 0.9
key = "r"

[[transitions]]
name = "twirl off"
chain = ["twirl", "off"]
source = "walking"
source_node = "twirl before"
target = "running"
target_node = "faster"

[[modes]]
name = "blend"

[[modes]]
name = "armed"
key = "a"
arcs = ["twirl", "twirl off", "off"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Some walks in a folder, a network of runs, and two changes."""
    place = tmp_path_factory.mktemp("hybrid")
    (place / "walks").mkdir()
    for name, speed, turn in (("slow", 0.9, 0.0), ("fast", 1.6, 0.0), ("left", 1.4, 0.6)):
        mo.save(perform("walk", speed=speed, turn=turn, imperfections=CLEAN)[0], place / "walks" / f"{name}.bvh")
    mo.save(capture("walk-twirl-walk")[0], place / "twirl.bvh")
    mo.save(capture("walk-run")[0], place / "off.bvh")
    runs = [perform("run", speed=speed, turn=turn, imperfections=CLEAN)[0] for speed, turn in ((2.4, 0.0), (3.4, 0.5))]
    save(build(runs).network, place / "running.moca")
    return place


def spec(folder, text):
    path = folder / "spec.toml"
    path.write_text(text)
    return path


def test_skeletons_in_a_folder_of_files_are_no_motions(folder):
    clip = perform("walk", speed=1.2, imperfections=CLEAN)[0]
    (folder / "acclaim").mkdir()
    mo.save(clip, folder / "acclaim" / "walk.amc", skeleton=folder / "acclaim" / "actor.asf")
    assert [path.name for path in SpecFolder.of(folder / "spec.toml", None).motions("acclaim")] == ["walk.amc"]


def test_a_spec_describes_blocks_transitions_and_modes(folder):
    told = []
    built = build_hybrid_spec(spec(folder, SPEC), progress=told.append)
    made = built.hybrid
    assert told == ["walking", "running", "twirl", "off", "twirl off"]
    assert list(made.blocks) == ["walking", "running"]
    assert [arc.name for arc in made.arcs] == ["twirl", "off", "twirl off"]
    twirl = made.arc("twirl").transition
    assert (twirl.leave, twirl.arrive) == (286, 650)
    off = made.arc("off")
    assert (off.target.node, off.zone, off.key) == ("faster", 0.9, "r")
    assert made.arc("twirl off").transition.seconds > 0.8 * (twirl.seconds + off.transition.seconds)
    assert [(mode.name, mode.key, sorted(mode.arcs)) for mode in made.modes] == [
        ("blend", "", []),
        ("armed", "a", ["off", "twirl", "twirl off"]),
    ]
    assert built.origins["walking"]["slow"].source.endswith("slow.bvh")
    assert built.origins["walking"]["twirl before"].source == "twirl.bvh"


COMPUTED = """\
blocks = [{ name = "running", network = "running.moca" }, { name = "racing", network = "running.moca" }]

[[transitions]]
name = "race"
computed = true
source = "running"
target = "racing"

[[modes]]
name = "armed"
arcs = ["race"]
"""


def test_a_change_that_no_capture_shows_is_computed_and_played(folder, monkeypatch):
    quick = functools.partial(make_hybrid.computed_transition, samples=5)
    monkeypatch.setattr(make_hybrid, "computed_transition", quick)
    made = build_hybrid_spec(spec(folder, COMPUTED)).hybrid
    player = mo.Player(made, point=(0.0, 2.6), block="running", mode="armed")
    player.trigger("race")
    mo.record(player, seconds=4.0, frame_rate=30)
    assert player.block == "racing"
    assert [one.state for one in player.states][-3:] == ["waiting", "change", "network"]


SMALL = """\
[[blocks]]
name = "walking"
files = ["walks"]
[[blocks]]
name = "running"
files = ["runs"]
[[transitions]]
name = "off"
file = "off.bvh"
source = "walking"
target = "running"
[[modes]]
name = "all"
arcs = ["off"]
"""


@pytest.fixture(scope="module")
def mixed(folder, tmp_path_factory):
    """The walks of one body, runs and a change of a smaller one with other names."""
    place = tmp_path_factory.mktemp("mixed")
    shutil.copytree(folder / "walks", place / "walks")
    (place / "runs").mkdir()
    other = body(0.8)
    mo.save(mo.retarget(perform("run", speed=2.6, imperfections=CLEAN)[0], other), place / "runs" / "run.bvh")
    mo.save(mo.retarget(mo.load(folder / "off.bvh"), other), place / "off.bvh")
    return place


def test_blocks_and_transitions_of_other_bodies_are_retargeted_to_the_one_most_have(mixed):
    with pytest.warns(MotionWarning) as told:
        made = build_hybrid_spec(spec(mixed, SMALL)).hybrid
    says = " | ".join(str(one.message) for one in told)
    assert "transitions are retargeted to the skeleton of the others: off (legs 1." in says
    assert "retargeted to the skeleton of the others: run (legs 1." in says
    own = mo.load(mixed / "walks" / "slow.bvh").skeleton
    assert all(block.network.layout.skeleton.same_as(own) for block in made.blocks.values())
    assert made.arc("off").transition.clip.skeleton.same_as(own)


def test_a_stored_network_says_whose_body_a_hybrid_one_has(mixed):
    clip = mo.load(mixed / "runs" / "run.bvh")
    save(build([clip]).network, mixed / "running.moca")
    with pytest.warns(MotionWarning, match="retargeted to the skeleton of the others: .*slow"):
        made = build_hybrid_spec(spec(mixed, SMALL.replace('files = ["runs"]', 'network = "running.moca"'))).hybrid
    assert made.block("walking").network.layout.skeleton.same_as(clip.skeleton)


def test_a_transition_that_cannot_be_retargeted_is_refused_with_its_line(mixed):
    legless = mo.Skeleton.of(["root", "arm"], [-1, 0], [[0, 1, 0], [0.3, 0, 0]], ends={"arm": [0.2, 0, 0]})
    still = mo.Clip(legless, np.zeros((90, 3)), np.tile([1.0, 0, 0, 0], (90, 2, 1)), frame_rate=30.0)
    mo.save(still, mixed / "arm.bvh")
    with pytest.raises(MotionError, match=r"spec\.toml:9: .*has no"):
        build_hybrid_spec(spec(mixed, SMALL.replace("off.bvh", "arm.bvh")))


@pytest.mark.parametrize(("line", "hz"), [("", 20.0), ("tremor = 12", 12.0), ("tremor = inf", math.inf)])
def test_a_spec_says_what_counts_as_tremor(folder, line, hz):
    text = SPEC.replace('file = "twirl.bvh"\n', f'file = "twirl.bvh"\n{line}\n')
    assert build_hybrid_spec(spec(folder, text)).hybrid.arc("twirl").transition.tremor == hz


def test_a_spec_with_transitions_is_one_of_a_hybrid_network(folder):
    assert describes_hybrid(spec(folder, SPEC))
    assert not describes_hybrid(spec(folder, "harmonics = 3"))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("source = ", "sourse = ", 12, "a transition has no 'sourse'; did you mean 'source'?"),
        ("files = ", "filez = ", 3, "a block has no 'filez'; did you mean 'files'?"),
        ('key = "a"', 'keys = "a"', 37, "a mode has no 'keys'; did you mean 'key'?"),
        ("[[modes]]", "[[mode]]", 32, "a hybrid network has no 'mode'; did you mean 'modes'?"),
        ("[286, 650]", '"early"', 13, "boundaries: Expected array"),
        ("[286, 650]", "[286]", 13, "boundaries: Expected array of length 2"),
        ("zone = 0.9", "zone = 1e9", 21, "zone: expected a finite number"),
        ("zone = 0.9", "zone = inf", 21, "zone: expected a finite number"),
        ("[286, 650]", "[286, 650]\ntremor = -3", 14, "tremor: expected a frequency of 0.1 Hz or more, found -3; inf"),
        ("[286, 650]", "[286, 650]\ntremor = 0", 14, "tremor: expected a frequency of 0.1 Hz or more"),
        ("[286, 650]", "[286, 650]\ntremor = nan", 14, "tremor: expected a frequency of 0.1 Hz or more, found nan"),
        ("[286, 650]", '[286, 650]\ntremor = "none"', 14, "tremor: Expected float"),
        ('chain = ["twirl", "off"]', 'chain = ["twirl", "off"]\ntremor = 9', 27, "tremor means nothing there"),
        ('files = ["walks"]', "", 2, "leave it out of the blocks where it is to be founded on transition 'twirl'"),
        ('network = "running.moca"', 'network = "running.moca"\nfiles = ["walks"]', 7, "needs one of files, network"),
        ('files = ["walks"]', "", 2, "block 'walking' needs one of files, network and spec, got none"),
        ('network = "running.moca"', 'network = "running.moca"\neven = true', 8, "by its network; even is"),
        ('files = ["walks"]', 'spec = "walks.toml"\nkeep_all = true', 4, "by its spec; keep_all is"),
        ('files = ["walks"]', 'files = ["walks"]\nharmonics = -3', 4, "harmonics: expected a whole number from 0 on"),
        ("[286, 650]", '[286, 650]\nunit = "furlong"', 14, "unit: expected a unit of m, cm"),
        ("[286, 650]", '[286, 650]\nup = "+z"', 14, "up: expected an axis of x, y, z, -x, -y, -z that points up"),
        ("[286, 650]", "[286, 650]\nframe_rate = 0", 14, "frame_rate: expected a frame rate above 0"),
        ('file = "off.bvh"', 'file = "off.asf"', 17, "file: a skeleton without motion"),
        ('name = "running"', 'name = "walking"', 6, "two blocks are called 'walking'"),
        ('name = "off"', 'name = "twirl"', 16, "two transitions are called 'twirl'"),
        ('file = "off.bvh"', "", 16, "transition 'off' needs a file, or a chain"),
        ('file = "off.bvh"', 'file = "off.bvh"\ncomputed = true', 16, "or a chain of two others, or computed"),
        ("zone = 0.9", "threshold = 0.2", 21, "is not computed; threshold means nothing there"),
        ("zone = 0.9", "threshold = -1", 21, "threshold: expected a distance above 0 and up to 1 m"),
        ('file = "twirl.bvh"', "computed = true", 11, "leads from one block to another; name its target"),
        ('chain = ["twirl", "off"]', "computed = true\ntremor = 9", 27, "is computed; tremor means nothing there"),
        ('chain = ["twirl", "off"]', 'chain = ["twirl", "on"]', 26, "there is no transition 'on' before this"),
        ('chain = ["twirl", "off"]', 'chain = ["twirl", "off"]\nunit = "cm"', 27, "unit means nothing there"),
        ("boundaries = [286", 'target_node = "x"\nboundaries = [286', 13, "leads back to where it began"),
        ('arcs = ["twirl", "twirl off", "off"]', 'arcs = ["twril"]', 38, "no transition 'twril'; did you mean 'twirl'"),
        ("[[blocks]]", "[[blocks", 1, "is not TOML"),
    ],
)  # fmt: skip
def test_what_a_spec_must_not_say_is_reported_with_its_line(folder, old, new, line, reason):
    with pytest.raises(FormatError, match=reason) as caught:
        read_hybrid_spec(spec(folder, SPEC.replace(old, new, 1)))
    assert caught.value.line == line


@pytest.mark.parametrize(("key", "name"), [("walks", "/etc"), ("walks", "../walks"), ("twirl.bvh", "../twirl.bvh")])
def test_a_spec_reads_nothing_outside_of_its_folder(folder, key, name):
    with pytest.raises(FormatError, match=r"spec.toml:\d\d?: .*not in the folder"):
        build_hybrid_spec(spec(folder, SPEC.replace(f'"{key}"', f'"{name}"', 1)))


def test_a_folder_with_a_link_that_leads_out_is_refused(folder, tmp_path):
    outside = tmp_path / "walk.bvh"
    mo.save(perform("walk", imperfections=CLEAN)[0], outside)
    link = folder / "walks" / "link.bvh"
    link.symlink_to(outside)
    try:
        with pytest.raises(FormatError, match=r"spec.toml:3: .*not in the folder"):
            build_hybrid_spec(spec(folder, SPEC))
    finally:
        link.unlink()


def test_what_fails_is_named(folder):
    (folder / "still.bvh").write_bytes((folder / "walks" / "slow.bvh").read_bytes())
    text = SPEC.replace('"twirl.bvh"', '"still.bvh"').replace("boundaries = [286, 650]\n", "")
    with pytest.raises(MotionError, match=r"spec.toml:10: twirl: nothing changes.*give boundaries = \[leave, arrive\]"):
        build_hybrid_spec(spec(folder, text))
    with pytest.raises(NetworkError, match=r"spec.toml:2: block 'walking'.*nothing\.bvh"):
        build_hybrid_spec(spec(folder, SPEC.replace('["walks"]', '["nothing.bvh"]')))


@pytest.mark.parametrize("key", ["file", "files"])
def test_a_skeleton_beside_an_amc_may_not_lead_out_of_the_folder(tmp_path, key):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    (inside / "takes").mkdir(parents=True)
    outside.mkdir()
    mo.save(perform("walk", imperfections=CLEAN)[0], inside / "takes" / "walk.amc", skeleton=outside / "walk.asf")
    (inside / "takes" / "walk.asf").symlink_to(outside / "walk.asf")
    block = '[[blocks]]\nname = "a"\nfiles = ["takes"]\n' if key == "files" else ""
    text = f'{block}[[transitions]]\nname = "t"\nfile = "takes/walk.amc"\nsource = "a"\n'
    with pytest.raises(MotionError, match=r"whose skeleton walk\.asf leads out of the folder"):
        build_hybrid_spec(spec(inside, text))
