"""The proxy acts: HTTP in, HTTP out."""
