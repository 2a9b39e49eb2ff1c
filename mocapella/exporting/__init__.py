"""Networks as game engines take them: grids of closed loops, and the files that put them to use there."""
