"""The library: captures in folders, labelled, found again by words and by example."""
