"""The wire, only the wire: OpenAI's requests and replies, unknown fields kept."""
