"""Han characters as Korean itself writes them: glosses and a few conventional signs."""

import re

from guards.text.scripts import Run, Script, han_count

# The parties to a contract, and in brackets the kind of a company or a body.
_PARTIES = frozenset("甲乙丙丁")
# Countries and a few words as newspapers put them: 美 정부, 中·日 대표, 前 회장.
_SIGN = re.compile(
    r"(?<![가-힣\d])[美中日英獨佛露北南前現故](?:[·ㆍ][美中日英獨佛露北南]){0,4} ?[가-힣]"
)
_BODY = re.compile(r"[(（][株社財有合學][)）]")
_LONGEST_GLOSSED_CHARS = 60
_HANGUL = re.compile(r"[가-힣]")
# The words may stand in quotes (이하 "차령"(車齡)); a bracket may hold two (갑을(甲, 乙)).
_GLOSSED = re.compile(
    r"(?P<word>[가-힣]+(?:[ ·ㆍ][가-힣]+){0,3})[\"'”’」』》〉]{0,2} ?"
    r"[(（\[〔](?P<before>[^가-힣)）\]〕]*)\Z"
)


def is_usual_han(text: str, run: Run) -> bool:
    """Tell whether a run of Han is one that a Korean text may hold.

    A gloss follows the Hangul that it spells, in brackets (``수수료(手續費)``), so it has no more
    characters than that has syllables: ``기한(申请期限为三十天)`` is no gloss.
    """
    if run.script is not Script.HAN:
        return False
    if run.text in _PARTIES or _BODY.fullmatch(text, max(0, run.start - 1), run.end + 1):
        return True
    if _SIGN.match(text, run.start):
        return True
    gloss = _GLOSSED.search(text, max(0, run.start - _LONGEST_GLOSSED_CHARS), run.start)
    if gloss is None:
        return False
    return han_count(gloss["before"] + run.text) <= len(_HANGUL.findall(gloss["word"]))
