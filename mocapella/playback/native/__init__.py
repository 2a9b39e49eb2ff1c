"""One character's step in the native core, where it is installed."""
