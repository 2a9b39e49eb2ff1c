"""The parts of a crowd: a network or the blocks of a hybrid one, and characters in a change between blocks."""
