"""Handlers of HTTP requests: read the request, call the service behind it, write the reply."""
