"""BVH that is wrong, cut short, or larger than any motion: refused with its place."""

import tracemalloc

import numpy as np
import pytest

import mocapella as mo
from mocapella.errors import FormatError, MotionError
from mocapella.files import bvh
from tests.files.bvh_samples import ARM, chain, same


@pytest.fixture
def read(bvh_reader):
    return bvh_reader


# Refusals


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("HIERARCHY", "HIRARCHY", 1, "expected HIERARCHY, found 'HIRARCHY'"),
        ("ROOT", "RUUT", 2, "expected ROOT, found 'RUUT'"),
        ("ROOT shoulder", "ROOT", 3, "expected the name of a joint, found '{'"),
        ("JOINT elbow\n\t{", "JOINT elbow\n", 8, "expected {, found 'OFFSET'"),
        ("OFFSET 30 0 0", "OFFSET 30 0", 9, "expected a number for an offset, found 'CHANNELS'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 nan", 8, "expected a number for an offset, found 'nan'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 1e300", 8, "expected a number for an offset, found '1e300'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 1_0", 8, "found '1_0'"),
        ("OFFSET 30 0 0", "OFFSET 30 0 0 0", 8, "expected OFFSET, CHANNELS, JOINT, End Site or }, found '0'"),
        ("\t\tOFFSET 30 0 0\n", "", 13, "joint 'elbow' ends without an OFFSET"),
        ("\t\tOFFSET 30 0 0\n", "\t\tOFFSET 30 0 0\n\t\tOFFSET 3 0 0\n", 9, "a second OFFSET"),
        ("CHANNELS 3", "CHANNELS three", 9, "expected a whole number for the count of channels, found 'three'"),
        ("CHANNELS 3", "CHANNELS -3", 9, "expected a whole number for the count of channels, found '-3'"),
        ("CHANNELS 3", "CHANNELS 1000000000000", 9, "at most 6 channels, found a count of 1000000000000"),
        ("CHANNELS 3", "CHANNELS " + "9" * 5000, 9, "expected a whole number for the count of channels, found '999"),
        ("CHANNELS 3", "CHANNELS 4", 10, "expected a channel such as Xposition or Zrotation, found 'End'"),
        ("CHANNELS 3", "CHANNELS 2", 9, "expected OFFSET, CHANNELS, JOINT, End Site or }, found 'Yrotation'"),
        ("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation", 9, "expected a channel such as Xposition or Zrotation"),
        ("CHANNELS 3 Zrotation Xr", "CHANNELS 3 Xrotation Xr", 9, "turns about X X Y, which is not a rotation order"),
        ("CHANNELS 6 Xpos", "CHANNELS 6 Ypos", 5, "joint 'shoulder' lists a position channel twice"),
        ("\t\tEnd Site", "CHANNELS 1 Xrotation\n\t\tEnd Site", 10, "a second CHANNELS line"),
        ("JOINT elbow", "JOINT shoulder", 6, "two joints are called 'shoulder'; joint names must differ"),
        ("\t\t\tOFFSET 25 0 0\n", "", 12, "expected OFFSET, found '}'"),
        ("MOTION", "ROOT other\n{\n}\nMOTION", 16, "a second ROOT: the file holds several skeletons"),
        ("MOTION", "}\nMOTION", 16, "expected MOTION, found '}'"),
        ("Frames: 2", "Frames: many", 17, "expected a whole number for the count of frames, found 'many'"),
        ("Frames: 2", "Frames: -2", 17, "expected a whole number for the count of frames, found '-2'"),
        ("Frames: 2", "Frames: 2.5", 17, "found '2.5'"),
        ("Frames: 2", "2", 17, "expected Frames:, found '2'"),
        ("Frame Time: 0.0083333", "Frame Time: 0", 18, "expected a frame time above 0 seconds, found 0"),
        ("Frame Time: 0.0083333", "Frame Time: -0.01", 18, "expected a frame time above 0 seconds, found -0.01"),
        ("Frame Time: 0.0083333", "Frame Time: 1e-320", 18, "expected a frame time of a microsecond to an hour"),
        ("Frame Time: 0.0083333", "Frame Time: 1e9", 18, "expected a frame time of a microsecond to an hour"),
        ("Frame Time: 0.0083333", "Frame Time: inf", 18, "expected a number for the frame time, found 'inf'"),
        ("Frame Time: 0.0083333", "Frame Time: 0.01 s", 18, "expected the end of the line after the frame time"),
        ("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0", 19, "expected 9 values, one for each channel, found 8"),
        ("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0 90 1", 19, "expected 9 values, one for each channel, found more"),
        ("1 2 4 30", "1 2 nan 30", 20, "expected a number, found 'nan' as value 3"),
        ("1 2 4 30", "1 2 -inf 30", 20, "expected a number, found '-inf' as value 3"),
        ("1 2 4 30", "1 2 1e999 30", 20, "value 3 is too large: '1e999'"),
        ("1 2 4 30", "1 2 2000000000000 30", 20, "value 3 is too large: '2000000000000'"),
        ("1 2 4 30", "1 2 4,5 30", 20, "expected a number, found '4,5' as value 3"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(read, tmp_path, old, new, line, reason):
    assert old in ARM
    with pytest.raises(FormatError) as caught:
        read(ARM.replace(old, new, 1))
    assert reason in caught.value.reason
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'arm.bvh'}:{line}: ")


@pytest.mark.parametrize("ends_with", ["\r\n", "\r"])
def test_the_place_is_right_whatever_the_line_ends(read, ends_with):
    with pytest.raises(FormatError, match=r"arm.bvh:20: expected a number, found 'x' as value 4"):
        read(ARM.replace("4 30", "4 x").replace("\n", ends_with))


def test_nothing_that_is_cut_short_passes_for_a_whole_file(read):
    for length in range(len(ARM) - 3):  # without the last digit of its last row a file looks whole
        with pytest.raises(FormatError):
            read(ARM[:length])


def test_without_any_channel_there_is_nothing_to_read(read):
    with pytest.raises(FormatError, match="no joint has a channel"):
        read(chain(["", ""], [[]]))


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 5000,
        bytes(range(256)) * 40,
        b"\x89PNG\r\n\x1a\n" + b"\x00\xff" * 500,
        b"{" * 50_000,
        b"}" * 10,
        b"HIERARCHY",
    ],
    ids=["zeros", "all bytes", "a picture", "braces", "closing braces", "one word"],
)
def test_binary_junk_is_refused_at_its_first_line(read, content):
    with pytest.raises(FormatError, match=r"arm.bvh:[12]: expected (HIERARCHY|ROOT), found"):
        read(content)


# Too few rows and too many


def test_a_file_that_ends_too_early_is_refused_unless_what_there_is_is_asked_for(read):
    short = ARM.replace("Frames: 2", "Frames: 5")
    with pytest.raises(FormatError, match="promises 5 frames, the file ends after 2; partial=True uses"):
        read(short)
    partial = read(short, partial=True)
    np.testing.assert_array_equal(partial.rotations_wxyz, read(ARM).rotations_wxyz)
    assert [(finding.code, finding.doubtful) for finding in partial.findings] == [("frame-count", True)]


@pytest.mark.parametrize(("promised", "lost"), [*((3, lost) for lost in range(2, 25)), (2, 4), (2, 12), (2, 24)])
def test_of_a_file_cut_within_a_row_the_rows_before_it_can_be_had(read, promised, lost):
    short = ARM.replace("Frames: 2", f"Frames: {promised}")[:-lost]
    with pytest.raises(FormatError, match=r"partial=True (uses|leaves)"):
        read(short)
    partial = read(short, partial=True)
    np.testing.assert_array_equal(partial.rotations_wxyz, read(ARM).rotations_wxyz[:1])
    assert [(finding.code, finding.frames) for finding in partial.findings] == [
        ("frame-count", ()),
        ("truncated", (1,)),
    ]


def test_a_row_cut_short_is_refused_with_what_helps_only_where_the_file_ends_in_it(read):
    with pytest.raises(FormatError, match=r"arm.bvh:20: .* the file ends within this row: partial=True leaves it out"):
        read(ARM[:-12])
    with pytest.raises(FormatError) as caught:
        read(ARM[:-12] + "\n")
    assert "partial" not in str(caught.value)


def test_a_frame_time_in_milliseconds_is_doubted_and_a_given_rate_taken_instead(read, tmp_path):
    slow = ARM.replace("Frame Time: 0.0083333", "Frame Time: 33.3333")
    assert slow != ARM
    found = read(slow)
    assert [(finding.code, finding.doubtful) for finding in found.findings] == [("frame-rate-unsure", True)]
    assert "if these are milliseconds, name the rate: 30 frames per second" in found.findings[0].message
    given = read(slow, frame_rate=30.0)
    assert (given.frame_rate, given.findings) == (30.0, ())
    with pytest.raises(MotionError, match="frame rate"):
        mo.load(tmp_path / "arm.bvh", frame_rate=float("nan"))


def test_a_partial_read_of_a_whole_file_is_the_whole_file(read):
    for text in (ARM, ARM.rstrip(), ARM + "\n\n", ARM.rstrip() + "  "):
        whole = read(text, partial=True)
        same(whole, read(ARM))
        assert whole.findings == ()


def test_a_partial_read_is_no_excuse_for_rows_that_are_wrong_in_the_middle(read):
    with pytest.raises(FormatError, match=r"arm.bvh:19: expected 9 values, one for each channel, found 8"):
        read(ARM.replace("1 2 3 90 0 0 0 0 90", "1 2 3 90 0 0 0 0"), partial=True)


def test_more_rows_than_promised_are_all_kept_and_reported(read):
    longer = read(ARM + "1 2 5 30 20 10 -40 50 60\n")
    assert len(longer.root_positions) == 3
    finding = longer.findings[0]
    assert (finding.code, finding.doubtful) == ("frame-count", True)
    assert "says 2 frames, the file has 3 rows" in finding.message


def test_a_promise_of_no_frames_and_none_there_is_refused(read):
    with pytest.raises(FormatError, match="promises 0 frames, the file holds none"):
        read(ARM.split("Frames: 2")[0] + "Frames: 0\nFrame Time: 0.01\n", partial=True)


# Bounds


def test_a_header_that_claims_a_million_million_frames_takes_no_memory_for_them(read):
    claim = ARM.replace("Frames: 2", "Frames: 1000000000000")
    tracemalloc.start()
    with pytest.raises(FormatError, match="promises 1,000,000,000,000 frames, the file ends after 2"):
        read(claim)
    assert len(read(claim, partial=True).root_positions) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def nested(depth):
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\n" for i in range(1, depth))
    opening = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return f"{opening}{joints}{'}' * depth}\nMOTION\nFrames: 1\nFrame Time: 0.01\n5\n"


def test_ten_thousand_joints_below_one_another_are_refused(read):
    assert read(nested(bvh.DEEPEST)).skeleton.n_joints == bvh.DEEPEST
    with pytest.raises(FormatError, match=r"more than 10,000 joints, or 1,000 below one another"):
        read(nested(10_000))


def flat(n_joints, n_rows=1):
    joints = "".join(f"JOINT j{i}\n{{\nOFFSET 0 1 0\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\n" for i in range(1, n_joints))
    opening = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
    return f"{opening}{joints}}}\nMOTION\nFrames: {n_rows}\nFrame Time: 0.01\n" + "5\n" * n_rows


def test_more_joints_than_any_body_has_are_refused(read, monkeypatch):
    assert bvh.MOST_JOINTS == 10_000
    monkeypatch.setattr(bvh, "MOST_JOINTS", 200)
    assert read(flat(200)).skeleton.n_joints == 200
    with pytest.raises(FormatError, match="more than 200 joints"):
        read(flat(201))
    end = "End Site\n{\nOFFSET 0 1 0\n}\n"
    with pytest.raises(FormatError, match="more than 200 end sites are not read"):
        read(ARM.replace("\tJOINT elbow", end * 201 + "\tJOINT elbow"))


def test_very_long_names_are_refused(read):
    assert len(read(ARM.replace("elbow", "e" * 10_000)).skeleton.names[1]) == 10_000
    with pytest.raises(FormatError, match=r"arm.bvh:6: expected a name of at most 10,000 letters, found 'eeee"):
        read(ARM.replace("elbow", "e" * 10_001))


def test_a_small_file_of_many_joints_without_channels_cannot_fill_the_memory(read):
    content = flat(500, 50_000)  # 125 kB that would become 800 MB
    tracemalloc.start()
    with pytest.raises(FormatError, match="a motion of 500 joints in 50,000 frames would take 9,536 MiB of memory"):
        read(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000


@pytest.mark.parametrize("word", ["1" * 300_000 + "x", "." * 300_000, "1." * 100_000, "+" * 300_000, "e" * 300_000])
def test_long_words_are_refused_as_soon_as_short_ones(read, word):
    """With a pattern that can match digits in two ways the first of these takes an hour."""
    for old in ("OFFSET 30", "Frame Time: 0.0083333", "Frames: 2", "CHANNELS 3", "1 2 4 30"):
        with pytest.raises(FormatError) as caught:
            read(ARM.replace(old, old.rsplit(" ", 1)[0] + " " + word))
        assert len(str(caught.value)) < 400
