"""Statements, their acts and polarity, and where an answer says the opposite or more."""
