"""Names of things, and which names, places and contacts belong together."""
