"""Guards detect: every module directly in this package is one guard, and nothing else is."""
