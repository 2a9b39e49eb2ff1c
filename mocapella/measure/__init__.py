"""Numbers about motion: how well feet stand, how far motions differ."""
