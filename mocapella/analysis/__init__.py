"""From a captured clip to a closed cycle to a spectrum."""
