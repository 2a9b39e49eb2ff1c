"""Messages are declared once: the page's types are made from them, and pose frames lose nothing that counts."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest

from benchmarks.pose_frames import unpack_frame
from mocapella.actor import capture
from mocapella.motion.pose import Pose
from mocapella.studio.messages import commands, frames
from mocapella.studio.messages.unions import AnyAnswer, AnyCommand
from mocapella.studio.typescript import typescript

TYPES = Path(__file__).parents[2] / "web" / "src" / "messages.ts"


def test_the_pages_types_are_those_of_the_messages():
    written = TYPES.read_text()
    assert written == typescript(), "stale: python -m mocapella.studio.typescript > web/src/messages.ts"


def test_every_command_and_answer_has_a_tag_of_its_own():
    for union in (AnyCommand, AnyAnswer):
        tags = [kind.__struct_config__.tag for kind in get_args(union)]
        assert len(tags) == len(set(tags))
        assert all(tags)


def test_a_command_is_read_back_as_it_was_written():
    decoder = msgspec.json.Decoder(AnyCommand)
    move = commands.MoveNode(seq=3, node="slow", at=(0.5, 1.0), drag=2)
    assert decoder.decode(msgspec.json.encode(move)) == move


@pytest.mark.parametrize(
    "text",
    ['{"type":"point","seq":1,"at":[1e9,0]}', '{"type":"point","seq":-1,"at":[0,0]}', '{"type":"point","at":[0,0]}',
     '{"type":"none","seq":1}', '{"type":"ping","seq":1,"more":2}', '{"type":"play","seq":1,"playing":1}'],
)  # fmt: skip
def test_what_is_no_command_is_refused(text):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=AnyCommand)


@pytest.mark.parametrize("away", [(0.0, 0.0), (1234.5, -98765.4)])
def test_joints_of_a_pose_frame_are_those_of_the_pose_to_a_hundredth_of_a_millimetre_wherever_it_is(away):
    clip = capture("slow walk straight")[0]
    root = clip.root_positions[40] + np.array([away[0], 0.0, away[1]])
    pose = Pose(clip.skeleton, root, clip.rotations_wxyz[40])
    record = frames.figure_record({"body": 7, "speed": 1.25}, pose.root_position, pose.rotations_wxyz, (1 + 2j, None))
    data = frames.pack_frame([record, record], acknowledged=2**32 + 5, frame=9)
    acknowledged, number, figures = unpack_frame(data, {7: clip.skeleton.n_joints})
    assert (acknowledged, number, len(figures)) == (5, 9, 2)
    fields, place, rotations = figures[1]
    again = Pose(clip.skeleton, place, rotations)
    np.testing.assert_allclose(again.positions, pose.positions, atol=1e-5)
    assert fields["speed"] == 1.25
    assert np.isnan(fields["anchor_1_x"])
    anchor = fields["anchor_0_x"] + fields["origin_x"], fields["anchor_0_z"] + fields["origin_z"]
    np.testing.assert_allclose(anchor, (2.0, 1.0), atol=0.01)  # float32 at a distance of 100 km


PARTS = [
    "Destination",
    "EditParameter",
    "EditKind",
    "ClipRow",
    "NodeView",
    "Block",
    "ArcRow",
    "ModeRow",
    "CharacterRow",
    "EditRow",
    "FileRow",
    "Refusal",
    "Remedy",
    "FindingRow",
    "Candidate",
    "Closing",
    "SpectrumView",
    "FootTraceView",
]


def test_what_answers_are_made_of_is_declared_for_the_page_too():
    written = typescript()
    assert [name for name in PARTS if f"export interface {name} {{" not in written] == []
