"""The studio: a page in the browser in which captures become a character that can be steered, and its server."""
