"""The life of one request for a model answer."""
