"""Every value as a .moca file."""
