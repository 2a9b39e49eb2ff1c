"""Text and bytes to clips, and back."""
