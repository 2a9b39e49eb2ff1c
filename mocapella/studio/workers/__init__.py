"""Worker processes and their jobs: computations that take too long while a character plays."""
