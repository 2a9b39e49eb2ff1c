"""Tests of blending; ``samples`` holds what they share."""
