"""glTF 2.0: skinned bodies with their motions."""
