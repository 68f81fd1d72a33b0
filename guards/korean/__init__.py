"""Korean analysis: morphemes, sentences, clauses and their modality."""
