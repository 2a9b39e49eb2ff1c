"""Damaged motion files: whatever happens to a file, it loads as a sound clip or is refused with a reason."""
