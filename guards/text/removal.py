"""The place that has to go with a sentence so that the text around it closes up again."""


def place_to_remove(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the place of a stretch of whole sentences with the white space that goes with it.

    What is left has no doubled blank, no empty line more than before, and no white space at either
    end that was not there.
    """
    before, after = _content_end(text, start), _content_start(text, end)
    if after == len(text):
        return (before, end) if before else (0, len(text))
    if before == 0:
        return 0, after
    ahead, behind = text[before:start], text[end:after]
    # Of the two gaps that become one, the one with more line breaks stays.
    keeps_ahead = (_breaks(ahead), -len(ahead)) >= (_breaks(behind), -len(behind))
    return (start, after) if keeps_ahead else (before, end)


def _content_end(text: str, start: int) -> int:
    while start and text[start - 1].isspace():
        start -= 1
    return start


def _content_start(text: str, end: int) -> int:
    while end < len(text) and text[end].isspace():
        end += 1
    return end


def _breaks(gap: str) -> int:
    return gap.count("\n")
