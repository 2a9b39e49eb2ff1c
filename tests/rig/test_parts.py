"""A part of a skeleton moves as it does in the whole."""

import numpy as np
import pytest

from mocapella.actor import CLEAN, perform
from mocapella.analysis.prepare import prepare
from mocapella.motion.kinematics import forward
from mocapella.rig.parts import Part


@pytest.mark.parametrize("layout", ["quaternion", "euler"])
def test_a_joint_is_where_the_whole_body_has_it(layout):
    cycle = prepare(perform("walk", imperfections=CLEAN)[0], layout=layout)
    rotations = cycle.rotations_wxyz
    whole, _ = forward(cycle.skeleton, np.zeros((cycle.n_frames, 3)), rotations)
    for name in ("LeftToeBase", "RightHand"):
        joint = cycle.skeleton.index(name)
        part = Part.of(cycle.layout, [joint])
        assert len(part.joints) == len(cycle.skeleton.path(joint))
        np.testing.assert_allclose(
            part.places(cycle.dofs[:, part.columns], joint, np.zeros(3)), whole[:, joint], atol=1e-12
        )
