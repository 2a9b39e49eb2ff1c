"""Feelings: how a motion is done, separated from what is done, and transferred to other motions."""
