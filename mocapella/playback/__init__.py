"""One character in time: what moves it on, keeps its feet on the ground and steers it."""
