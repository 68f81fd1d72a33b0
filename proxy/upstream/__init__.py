"""Client of the model servers: a request out, its whole reply (or its stream) back."""
