"""Acclaim for tests: texts with the same units and root and one to three bones, and what CMU calls legs."""

from mocapella.files.acclaim.amc import read_amc
from mocapella.files.acclaim.asf import read_asf

CMU = 0.0254 / 0.45  # metres of one of their length units

# Bones of CMU's skeletons and the joints of the BVH files made of them.
LEGS = {"lfemur": "LeftUpLeg", "ltibia": "LeftLeg", "lfoot": "LeftFoot", "ltoes": "LeftToeBase"}
LEGS |= {name.replace("l", "r", 1): bvh.replace("Left", "Right") for name, bvh in LEGS.items()}

UNITS = """\
:units
  length 0.45
  angle deg
"""
ROOT = """\
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
"""

ONE_BONE = f"""\
{UNITS}{ROOT}:bonedata
  begin
    name upper
    direction 1 0 0
    length 3
    axis 0 0 0 XYZ
    dof rx ry rz
  end
:hierarchy
  root upper
"""

THREE_BONES = f"""\
{UNITS}{ROOT}:bonedata
  begin
    name upper
    direction 1 0 0
    length 3
    axis 30 0 20 XYZ
    dof rx ry rz
  end
  begin
    name link
    direction 0 0 1
    length 1
    axis 0 0 0 XYZ
  end
  begin
    name lower
    direction 0 -1 0
    length 2
    axis -90 10 20 XYZ
    dof rx rz
  end
:hierarchy
  root upper
  upper link
  link lower
"""

# With all that real files have besides: an id, limits on one line or several, words nobody needs, a bone of no length.
ARM = f"""\
# an arm and a stump
:version 1.10
:name arm
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  begin end root order: free text, even # signs
{ROOT}:bonedata
  begin
    id 1
    name upper
    direction 1 0 0
    length 3
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-inf inf)
    bodymass 2.0
    cofmass 1.0
    colour red
  end
  begin
    id 2
    name lower
    direction 0 -1 0
    length 2
    axis -90 0 20 XYZ
    dof rx rz
    limits (-10 170) (0 5)
  end
  begin
    id 3
    name stump
    direction 0 0 1
    length 0
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    upper lower
    root stump upper
  end
"""


def load_amc(path, skeleton, **options):
    """The motion of an AMC file on the skeleton of an ASF file."""
    return read_amc(path, read_asf(skeleton), **options)
