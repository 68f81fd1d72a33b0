"""What stands around a claim: the question, and the claim before."""

from guards.text.features import features


class Around:
    """The question and the claim before another one, which seldom count.

    Attributes:
        counted: They did.
    """

    def __init__(self, question: str, before: str) -> None:
        self._question = question
        self._before = before
        self.counted = False
        self._forms: dict[str, frozenset[str]] = {}

    def asked(self) -> frozenset[str]:
        """Return the words of the question."""
        self.counted = True
        return features(self._question).forms

    def forms(self, claim: str) -> frozenset[str]:
        """Return the words around a claim, with its own."""
        self.counted = True
        if claim not in self._forms:
            text = f"{self._question}\n{self._before}\n{claim}"
            self._forms[claim] = features(text).forms
        return self._forms[claim]
