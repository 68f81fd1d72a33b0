"""Personal data: its notations, its owner, and its masking."""
