"""Motion for the eye: still pictures of clips and of what is known about them. Needs matplotlib."""
