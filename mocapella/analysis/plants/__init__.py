"""Where feet stand on the ground."""
