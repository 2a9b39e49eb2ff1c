"""The order of the code in figures: contracts, sizes, names, constants, complexity, walks through files."""
