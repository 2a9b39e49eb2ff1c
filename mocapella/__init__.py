"""Motion capture in harmony: a few short clips become a character one can steer."""

__version__ = "0.1.0"
