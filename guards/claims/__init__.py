"""The statements of a text as data: layout, clauses, and the claim of each clause."""
