"""View models: what is shown of a trace, decided once for the dashboard and the command line."""


def msgid(message: str) -> str:
    """Mark a text for translation where it is written; it is translated where it is shown."""
    return message
