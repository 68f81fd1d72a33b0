"""What things are called, and which of their names, places and contacts belong together."""
