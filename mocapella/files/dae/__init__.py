"""COLLADA files read: nodes of a scene, what animates them, and which are joints."""
