"""The core of all guards: the exchange, its reading, findings, the runner and the registry."""
