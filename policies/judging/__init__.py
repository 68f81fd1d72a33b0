"""A second opinion: what a judge is asked, what may come back, and what it may change."""
