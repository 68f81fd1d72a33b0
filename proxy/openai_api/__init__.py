"""OpenAI's requests and replies on the wire; unknown fields are kept."""
