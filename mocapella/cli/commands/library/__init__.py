"""Commands about libraries of captures."""
