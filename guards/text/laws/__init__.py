"""References to provisions of law."""
