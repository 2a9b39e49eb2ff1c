"""Who decides where the blending point goes."""
