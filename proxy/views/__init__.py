"""View models of a trace, shared by the dashboard and the command line."""


def msgid(message: str) -> str:
    """Mark a text for translation where it is written; it is translated where it is shown."""
    return message
