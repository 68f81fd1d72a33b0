"""Several processes that serve together: one parent that begins them, and begins them again."""
