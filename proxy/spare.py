"""How often a client's request may cost its model server more than it has to."""


class Spare:
    """One request to the model server beyond those that were meant to be, whatever fails.

    It is for all attempts of one client's request together, so that a model server that fails is
    not asked more and more.

    Args:
        is_there: False for what must not be sent twice.
    """

    def __init__(self, *, is_there: bool = True) -> None:
        self._is_there = is_there

    def take(self) -> bool:
        """Use it up; tell whether it was there."""
        is_there, self._is_there = self._is_there, False
        return is_there
