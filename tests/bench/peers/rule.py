"""What every peer's guard looks for, so that all do the same work: a resident registration number.

No answer of the bench has one: the guards read, and let pass.
"""

RULE = r"[0-9]{6}-[1-4][0-9]{6}"
