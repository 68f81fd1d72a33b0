"""Scripts: Hangul, Han, Latin, and what of them an answer may have."""
