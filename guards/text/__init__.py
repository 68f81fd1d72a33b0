"""Korean text: normal form, sentences, particles, slots."""
