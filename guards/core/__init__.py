"""What all guards share: the exchange, its reading, findings, the runner and the registry."""
