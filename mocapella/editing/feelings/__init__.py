"""Feelings: how a motion is done, told apart from what is done, and given to other motions."""
