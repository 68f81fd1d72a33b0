"""Reading Korean: morphemes, sentences, clauses and their modality."""
