"""What mocapella costs, beside its peers and published figures, measured in one run: ``python -m benchmarks``."""
