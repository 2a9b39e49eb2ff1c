"""Many characters of one network in time."""
