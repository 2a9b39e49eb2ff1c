"""SMPL and AMASS motions: poses of a body model in ``.npz`` files."""
