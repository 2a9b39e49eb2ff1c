"""Values of the library as the page is told of them."""
