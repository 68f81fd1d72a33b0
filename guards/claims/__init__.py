"""What a text says, as data: layout, clauses, and the claim that each clause makes."""
