"""Tables that ``mocapella reproduce`` finds in a source checkout only: experiments, and comparisons."""
