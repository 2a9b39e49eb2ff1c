"""The values: skeletons, poses, clips, and what is known about them."""
