"""Word lists of the guards; each file names its source and licence."""
