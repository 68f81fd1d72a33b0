"""What the pages about traces show: which are wanted, and one of them as people read it."""
