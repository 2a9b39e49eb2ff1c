"""What a crowd is made of: a network or the blocks of a hybrid one, and characters in a change between these."""
