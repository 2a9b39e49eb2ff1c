"""Cut stretches closed to cycles."""
