"""Citations of an answer: its list of references, its cited statements, and their assessment."""
