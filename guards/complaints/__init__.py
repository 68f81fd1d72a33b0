"""Reading of complaints: their words, the constructions they are made of, and swear words."""
