"""Doubles of captures that nothing was tuned on: other skeletons, zero poses, frame rates, takes and folders."""
