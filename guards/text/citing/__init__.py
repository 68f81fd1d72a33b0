"""What an answer cites: its list of references, its cited statements, and whether they hold."""
