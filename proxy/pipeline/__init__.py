"""The processing of a request for a model answer."""
