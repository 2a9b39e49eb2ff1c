"""Mathematics without any notion of motion: angles, rotations, curves, meshes."""
