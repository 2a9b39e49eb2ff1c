"""What takes too long to do while a character walks: jobs, and the processes that do them."""
