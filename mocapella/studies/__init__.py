"""Tables of papers, experiments, benches, the demo: what commands of the same names run."""
