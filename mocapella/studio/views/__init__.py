"""Values as messages for the page."""
