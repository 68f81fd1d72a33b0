"""What a model or a prompt leaves behind in an answer: control tokens and unfilled placeholders."""

import re
from collections.abc import Iterator

# Of the chat formats of current open models; HTML has <s>, so that one counts at the edges only.
_SPECIAL = re.compile(
    r"<\|[A-Za-z][\w ./-]{0,40}\|>|<[|｜][A-Za-z▁_]{2,40}[|｜]>|\[\|[a-z_]{2,20}\|\]"
    r"|<(?:start_of_turn|end_of_turn|bos|eos|pad|unk|mask|sep|cls|endoftext|im_start|im_end)>"
    r"|\[/?INST\]|<</?SYS>>|\[(?:UNK|PAD|CLS|SEP|MASK|BOS|EOS|EOT|gMASK)\]|<0x[0-9A-F]{2}>|\[@BOS@\]"
)
_EDGE_SPECIAL = re.compile(rf"{_SPECIAL.pattern}|</?s>")
# All that one of them begins with.
_MAY_BE_SPECIAL = re.compile(r"<|\[[|/@A-Zg]")
_STRUCK_OUT = re.compile(r"<s>[^<>\n]{1,200}</s>")
_WHOLE = re.compile(
    r"[\s*_#>-]*(?:TODO|FIXME|TBD|N/?A|null|None|undefined|NaN|(?:최종\s?)?(?:답변|응답|대답|내용)|"
    r"(?:여기에\s?)?(?:답변|내용)(?:을|를)?\s?(?:작성|입력)[가-힣 ]{0,12}|answer|response|"
    r"\[[^\[\]\n]{0,40}\]|<[^<>\n]{0,40}>)[\s*_:.!-]*",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}|\{%[^%\n]{1,80}%\}|\$\{[A-Za-z_][\w.]{0,60}\}"
    r"|[\[<(]\s?(?:여기에?|이곳에)\s[^\[\]<>()\n]{0,40}(?:입력|작성|삽입|기재|추가)[^\[\]<>()\n]{0,20}[\]>)]"
    r"|[\[<](?:최종\s?)?(?:답변|응답|본문|답변\s?내용|응답\s?내용)[\]>](?![(:])"
    r"|^[ \t]*(?:TODO|FIXME|TBD)\b(?=[ \t]*(?::|$))",
    re.MULTILINE,
)
# What all of them begin with.
_MAY_BE_INSIDE = re.compile(r"[{$\[<(TF](?:[{%]|\s?(?:여기|이곳|최종|답변|응답|본문)|ODO|IXME|BD)")
_SAYS_SOMETHING = re.compile(r"[^\W_]|[\u2190-\u2bff\U0001f000-\U0001faff]")

Place = tuple[int, int]


def special_tokens(prose: str) -> list[Place]:
    """Return the places of a model's control tokens, in order; in code points."""
    if not _MAY_BE_SPECIAL.search(prose):
        return []
    prose = _without_struck_out(prose)
    places = [match.span() for match in _SPECIAL.finditer(prose)]
    start, end = edges(prose)
    known = {place[0] for place in places}
    places += [
        match.span()
        for match in _EDGE_SPECIAL.finditer(prose)
        if match.start() not in known and (match.end() <= start or match.start() >= end)
    ]
    return sorted(places)


def edges(text: str) -> Place:
    """Return where a text begins and ends without the control tokens around it."""
    text = _without_struck_out(text)
    start, end = 0, len(text)
    for match in _EDGE_SPECIAL.finditer(text):
        if text[start : match.start()].strip():
            break
        start = match.end()
    last = start
    for match in _EDGE_SPECIAL.finditer(text, start):
        if text[last : match.start()].strip():
            end = match.start()
        last = match.end()
    if text[last:].strip() or last == start:
        end = len(text)
    return start, end


def _without_struck_out(text: str) -> str:
    """Return a text of the same length in which HTML that strikes words out is no token."""
    if _STRUCK_OUT.fullmatch(text.strip()):
        return text
    return _STRUCK_OUT.sub(lambda struck: "x" * len(struck[0]), text)


def is_placeholder(answer: str) -> bool:
    """Tell whether a whole answer only holds the place of one."""
    return _SAYS_SOMETHING.search(answer) is None or _WHOLE.fullmatch(answer) is not None


def placeholders(prose: str) -> Iterator[Place]:
    """Yield the places of placeholders inside an answer, in order; in code points."""
    if not _MAY_BE_INSIDE.search(prose):
        return
    for match in _INSIDE.finditer(prose):
        yield match.span()
