"""Networks cut into triangles between whose corners a crowd mixes phasors."""
