"""Comparison of an answer's claims with those of its sources: aligned once, compared once."""
