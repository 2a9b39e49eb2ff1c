"""BVH texts for tests, and what is compared of two files that should say the same."""

import numpy as np

ARM = """\
HIERARCHY
ROOT shoulder
{
\tOFFSET 0 0 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT elbow
\t{
\t\tOFFSET 30 0 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 25 0 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.0083333
1 2 3 90 0 0 0 0 90
1 2 4 30 20 10 -40 50 60
"""


def same(a, b):
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.rotation_orders == b.skeleton.rotation_orders
    np.testing.assert_array_equal(a.skeleton.offsets, b.skeleton.offsets)
    np.testing.assert_array_equal(a.root_positions, b.root_positions)
    np.testing.assert_array_equal(a.rotations_wxyz, b.rotations_wxyz)
    np.testing.assert_array_equal(a.slides, b.slides)
    assert a.frame_rate == b.frame_rate


def chain(channels, rows, offsets=((0, 0, 0), (0, 10, 0))):
    """A file of joints below one another with these channel lines."""
    lines = ["HIERARCHY"]
    for i, (channel_line, offset) in enumerate(zip(channels, offsets, strict=True)):
        words = channel_line.split()
        lines += [f"{'JOINT' if i else 'ROOT'} j{i}", "{", "OFFSET " + " ".join(map(repr, offset))]
        lines += [f"CHANNELS {len(words)} {channel_line}"]
    lines += ["}"] * len(channels) + ["MOTION", f"Frames: {len(rows)}", "Frame Time: 0.01"]
    return "\n".join(lines + [" ".join(map(repr, row)) for row in rows]) + "\n"
