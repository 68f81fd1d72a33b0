"""A model server that says what it is told, and a tour that shows what the proxy makes of it."""
