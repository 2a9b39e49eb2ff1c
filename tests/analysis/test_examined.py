"""Facts about a clip are worked out once and shared by all that asks for them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import mocapella as mo
from mocapella.analysis import examined
from mocapella.analysis.cycles.find import find_cycle, find_cycles
from mocapella.analysis.cycles.raw_cycle import mark_cycle
from mocapella.analysis.examined import Examined, examine
from mocapella.analysis.period import find_period
from mocapella.analysis.plants.detect import doubts, find_plants
from mocapella.analysis.prepare import prepare
from mocapella.cleaning import repair
from mocapella.cleaning.faults import find_faults
from mocapella.measure.footskate import footing
from mocapella.motion import kinematics
from mocapella.motion.clip import Clip
from mocapella.rig import roles

pytestmark = pytest.mark.filterwarnings("ignore::mocapella.errors.MotionWarning")


@pytest.fixture
def counted(monkeypatch):
    """Counts how often each fact is worked out."""
    counts = Counter()

    def count(module, name):
        inner = getattr(module, name)

        def outer(*args, **options):
            counts[name] += 1
            return inner(*args, **options)

        monkeypatch.setattr(module, name, outer)

    for module, name in (
        (examined, "find_faults"),
        (repair, "find_faults"),
        (examined, "sound_stretches"),
        (examined, "track_feet"),
        (kinematics, "forward"),
    ):
        count(module, name)
    return counts


def capture_of(data_folder, name: str) -> Clip:
    return mo.load(data_folder / "cmu-bvh" / "16" / f"{name}.bvh")


@pytest.mark.parametrize("name", ["16_15", "16_11"])  # both begin with an artificial rest pose
def test_one_prepare_works_every_fact_out_once(counted, data_folder, name):
    clip = capture_of(data_folder, name)
    counted.clear()
    prepare(clip)
    assert counted == {"find_faults": 1, "sound_stretches": 1, "track_feet": 1, "forward": 1}


def test_everything_asked_of_one_examined_clip_shares_its_facts(counted, data_folder):
    known = examine(capture_of(data_folder, "16_15"))
    counted.clear()
    plants = find_plants(known)
    find_period(known)
    find_cycle(known, turning=True)
    find_cycles(known)
    doubts(known, plants)
    footing(known)
    assert counted == {"find_faults": 1, "sound_stretches": 1, "track_feet": 1, "forward": 1}


def test_an_examined_clip_gives_what_the_clip_gives(data_folder):
    clip = capture_of(data_folder, "16_24")
    known = examine(clip)
    assert find_plants(known) == find_plants(clip)
    assert find_period(known) == find_period(clip)
    assert [(one.start, one.n_frames, one.closing) for one in find_cycles(known)] == [
        (one.start, one.n_frames, one.closing) for one in find_cycles(clip)
    ]
    assert prepare(known).dofs.tobytes() == prepare(clip).dofs.tobytes()
    one, two = mark_cycle(known, (40, 160)), mark_cycle(clip, (40, 160))
    assert (one.unlikeness, one.closing) == (two.unlikeness, two.closing)


def test_roles_are_decided_once_for_a_file_and_its_clip(monkeypatch, data_folder):
    decisions = []
    decide = roles._decide
    monkeypatch.setattr(roles, "_answers", {})
    monkeypatch.setattr(roles, "_decide", lambda skeleton: decisions.append(skeleton) or decide(skeleton))
    prepare(capture_of(data_folder, "16_15"))
    assert len(decisions) == 1


def test_examining_twice_is_examining_once(clean_walk):
    known = examine(clean_walk[0])
    assert examine(known) is known


def test_a_part_knows_what_the_whole_knows_of_it(clean_walk):
    clip = clean_walk[0].moved(5.0)
    roots = np.array(clip.root_positions)
    roots[100:130] = 0.0
    rotations = np.array(clip.rotations_wxyz)
    rotations[60, 3] = [0.0, 1.0, 0.0, 0.0]
    known = examine(replace(clip, root_positions=roots, rotations_wxyz=rotations))
    assert [(one.start, one.stop) for one in known.sound.stretches] == [(0, 100), (130, clip.n_frames)]
    part, alone = known.part(20, 90), Examined(known.clip[20:90])
    np.testing.assert_array_equal(part.sound.jumps, alone.sound.jumps)
    assert part.sound.stretches == alone.sound.stretches
    assert known.part(20, 90) is part
    assert part.plants == alone.plants
    across = known.part(80, 150)  # not sound throughout, so it is looked at on its own
    assert [(one.start, one.stop) for one in across.sound.stretches] == [(0, 20), (50, 70)]


def test_forward_kinematics_of_a_part_are_those_of_the_whole(clean_walk):
    clip = Clip(
        *(getattr(clean_walk[0], name) for name in ("skeleton", "root_positions", "rotations_wxyz", "frame_rate"))
    )
    before = clip[30:90].positions
    _ = clip.world
    assert clip[30:90].positions.tobytes() == before.tobytes()
    assert np.shares_memory(clip[30:90].positions, clip.positions)


def test_a_repaired_clip_knows_which_faults_are_left(clean_walk):
    clip = clean_walk[0].moved(5.0)
    roots = np.array(clip.root_positions)
    roots[100:105] = roots[200:260] = 0.0
    known = examine(replace(clip, root_positions=roots))
    assert known.cleaned is not known
    assert known.cleaned is known.cleaned.cleaned
    assert known.cleaned.faults == tuple(find_faults(known.cleaned.clip))
    assert [fault.code for fault in known.cleaned.faults] == ["root-dropout"]
