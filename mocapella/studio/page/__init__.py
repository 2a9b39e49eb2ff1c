"""Self-contained pages: a motion, a network as loops that can be mixed, or two motions to judge."""
