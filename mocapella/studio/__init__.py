"""The studio: a page in the browser in which captures become a character one can steer, and the server behind it."""
