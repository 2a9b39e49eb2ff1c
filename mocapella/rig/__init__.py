"""What the joints of a skeleton are for."""
