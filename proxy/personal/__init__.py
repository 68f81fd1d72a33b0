"""The user's own identifiers, which the model server does not get to see."""
