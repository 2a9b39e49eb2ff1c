"""Universal Scene Description: UsdSkel skeletons with their animations, read and written by usd-core."""
