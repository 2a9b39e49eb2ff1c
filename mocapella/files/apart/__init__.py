"""Files that other libraries open, in a process of its own for each: it may crash, and has little memory and time."""
