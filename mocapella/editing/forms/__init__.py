"""Forms of motions that papers and other programs use: vectors of curves, states of key poses."""
