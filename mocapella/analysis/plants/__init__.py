"""Detection of foot plants."""
