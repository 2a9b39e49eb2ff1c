"""One character in time: root motion, foot locks and the blending point that steers it."""
