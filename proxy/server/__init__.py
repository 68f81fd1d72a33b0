"""The HTTP server: connections of clients, their requests and replies, start and shutdown."""
