"""What every kind of judge is to its client."""

from typing import Protocol

from policies.judging.judge import JudgeQuestion, Opinions
from proxy.judge.server import JudgeServer


class Adapter(Protocol):
    """Speaks to one kind of remote model."""

    async def ask(self, server: JudgeServer, question: JudgeQuestion) -> Opinions:
        """Return the model's opinions.

        Raises:
            JudgeCallFailed: it gave none.
        """
        ...
