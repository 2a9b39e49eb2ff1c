"""Where the blending point goes: calibration, paths, guides, scripts and tours."""
