"""What captures suffer from, found and bridged."""
