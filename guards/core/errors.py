"""Failures of the guards' own house. A finding is data, never one of these."""


class GuardError(Exception):
    """The guards cannot be loaded as they stand."""


class BadGuardFile(GuardError):
    """A file in the guards folder is not one well-formed guard."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"guards/{file}: {problem}")
        self.file = file
        self.problem = problem
