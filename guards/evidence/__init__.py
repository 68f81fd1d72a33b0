"""Claims of an answer held against the claims of its sources: aligned once, compared once."""
