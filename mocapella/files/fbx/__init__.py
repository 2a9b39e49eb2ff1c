"""FBX files read, by ufbx in a process of its own."""
