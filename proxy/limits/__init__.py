"""How many requests of a tenant are let in: within a minute, and at the same time."""
