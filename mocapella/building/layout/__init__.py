"""Where the motions of a network go, and which of them: one order of steps from cycles to a network."""
