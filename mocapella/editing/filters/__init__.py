"""Motions as signals: filtered, shaped, warped and kept within limits."""
