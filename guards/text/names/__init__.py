"""Names whose form shows them: organisations, places, products, people."""
