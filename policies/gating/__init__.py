"""The stream gate: an answer is released sentence by sentence, after each has been judged."""
