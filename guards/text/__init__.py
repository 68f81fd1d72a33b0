"""Reading Korean text: normalising, sentences, particles, slots."""
