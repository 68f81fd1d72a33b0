"""Personal data: what it looks like, whose it is, and how it is masked."""
