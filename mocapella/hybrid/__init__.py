"""Networks joined by captured changes."""
