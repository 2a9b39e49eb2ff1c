"""Motion graphs: captures joined where they look alike, and walks through them."""
