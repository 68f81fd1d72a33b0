"""The client of model servers."""
