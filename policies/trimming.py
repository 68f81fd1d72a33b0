"""Takes sentences out of an answer, where what is left still answers the question.

Nothing is left hanging: a sentence that leans on one taken out (``이 경우…``, ``다만…``) goes with
it, so does the lead-in of a list that lost its items, and numbered lists are numbered anew.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from guards.core.finding import Span
from guards.text.claims import claims
from guards.text.lead_ins import HEADING, LEAD_IN
from guards.text.sentences import Sentence, split_sentences
from guards.text.tokens import content_words
from policies.edits import Edit
from policies.policy import Trimming

_LEANS_BACK = re.compile(
    r"(?:[-*•]\s*)?(?:이는|이것은|이를|이에|이러한|이와|이\s?경우|이때|그러나|그런데|그래서|그러므로|따라서|"
    r"하지만|다만|단,|또한|아울러|그리고|여기서|그\s?(?:중|외|밖)|해당\s|위\s|같은\s)"
)
_PART_OF_A_WHOLE = re.compile(r"\s*(?:\||첫째|둘째|셋째|넷째|먼저|우선|다음으로|마지막으로)")
_COUNTS = re.compile(r"(?:두|세|네|다섯|여섯|\d+)\s?(?:가지|개|단계|종류)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*•·○]|\d{1,3}[.)]|[가-하][.)]|[①-⑳])\s")
_NUMBERED = re.compile(r"^([ \t]*)(\d{1,3})([.)]\s)", re.MULTILINE)


def trim(
    question: str, answer: str, bad: Sequence[Span], limits: Trimming
) -> tuple[Edit, ...] | None:
    """Return the edits that take the bad places' sentences out; None if too little is left.

    Args:
        question: What was asked; tells which claim the answer is about.
        answer: The answer.
        bad: Places that must not go out.
        limits: How much may go.
    """
    sentences = split_sentences(answer)
    made = claims(answer)
    flagged = {sentence for sentence in sentences if _touches(sentence, bad)}
    flagged_claims = [claim for claim in made if claim in flagged]
    if not flagged or not made or len(flagged_claims) > limits.most_claims:
        return None
    if len(flagged_claims) > limits.most_share * len(made):
        return None
    gone = _with_what_leans(sentences, flagged, answer)
    if _core(question, made) in gone or all(claim in gone for claim in made):
        return None
    if any(_cannot_go_alone(sentence) for sentence in gone) or _counts_its_items(sentences, gone):
        return None
    removals = [Edit(_healed(block, answer)) for block in _blocks(sentences, gone)]
    return tuple(sorted([*removals, *_renumbered(answer, removals)]))


def _touches(sentence: Sentence, bad: Iterable[Span]) -> bool:
    return any(sentence.start < span.end and span.start < sentence.end for span in bad)


def _core(question: str, made: Sequence[Sentence]) -> Sentence:
    """Return the claim that shares most words with the question; the first of equals."""
    asked = {word.stem for word in content_words(question)}

    def shared(claim: Sentence) -> int:
        return len(asked & {word.stem for word in content_words(claim.text)})

    return max(made, key=shared)


def _with_what_leans(
    sentences: Sequence[Sentence], flagged: set[Sentence], answer: str
) -> set[Sentence]:
    gone = set(flagged)
    for before, sentence in pairwise(sentences):
        apart = "\n\n" in answer[before.end : sentence.start]
        if before in gone and not apart and _LEANS_BACK.match(sentence.text):
            gone.add(sentence)
    # From the end, so that a heading goes with a lead-in that goes with its items.
    for position, sentence in reversed(list(enumerate(sentences))):
        if LEAD_IN.search(sentence.text) and _items_gone(sentences[position + 1 :], gone):
            gone.add(sentence)
        if HEADING.match(sentence.text) and _block_gone(sentences[position + 1 :], gone):
            gone.add(sentence)
    return gone


def _block_gone(following: Sequence[Sentence], gone: set[Sentence]) -> bool:
    """Tell whether everything below a heading goes."""
    block = []
    for sentence in following:
        if HEADING.match(sentence.text):
            break
        block.append(sentence)
    return bool(block) and all(sentence in gone for sentence in block)


def _cannot_go_alone(sentence: Sentence) -> bool:
    """Tell whether taking a sentence out leaves a hole: a table's row, a step, half of a mark."""
    return bool(_PART_OF_A_WHOLE.match(sentence.text)) or sentence.text.count("**") % 2 == 1


def _counts_its_items(sentences: Sequence[Sentence], gone: set[Sentence]) -> bool:
    """Tell whether a sentence that stays says how many items there are, and one of them goes."""
    counted = any(_COUNTS.search(one.text) for one in sentences if one not in gone)
    return counted and any(_LIST_ITEM.match(one.text) for one in gone)


def _items_gone(following: Sequence[Sentence], gone: set[Sentence]) -> bool:
    """Tell whether a list begins here and every item of it goes."""
    items = []
    for sentence in following:
        if not _LIST_ITEM.match(sentence.text):
            break
        items.append(sentence)
    return bool(items) and all(item in gone for item in items)


def _blocks(sentences: Sequence[Sentence], gone: set[Sentence]) -> list[Span]:
    """Return the places of sentences that go, neighbours as one place."""
    blocks: list[Span] = []
    last_stays = True
    for sentence in sentences:
        if sentence in gone:
            start = sentence.start if last_stays else blocks.pop().start
            blocks.append(Span(start, sentence.end))
        last_stays = sentence not in gone
    return blocks


def _healed(block: Span, answer: str) -> Span:
    """Return the block with the white space that would be left over."""
    before, after = answer[: block.start], answer[block.end :]
    if not after.strip():
        return Span(len(before.rstrip()), len(answer))
    if not before.strip():
        return Span(0, len(answer) - len(after.lstrip()))
    line_start = before.rfind("\n") + 1
    own_lines = not before[line_start:].strip() and after.lstrip(" \t").startswith("\n")
    if own_lines:
        paragraph = before[:line_start].endswith("\n\n")
        rest = after.lstrip() if paragraph else after.lstrip(" \t")[1:]
        return Span(line_start, len(answer) - len(rest))
    if after.lstrip(" \t").startswith("\n"):
        return Span(len(before.rstrip(" \t")), len(answer) - len(after.lstrip(" \t")))
    return Span(block.start, len(answer) - len(after.lstrip(" \t")))


def _renumbered(answer: str, removals: Sequence[Edit]) -> list[Edit]:
    """Return the edits that close the gaps in numbered lists."""
    edits = []
    shift = 0
    expected = 0
    for marker in _NUMBERED.finditer(answer):
        number = int(marker[2])
        if number != expected + 1:
            shift = 0
        expected = number
        if any(edit.span.start <= marker.start(2) < edit.span.end for edit in removals):
            shift += 1
        elif shift:
            edits.append(Edit(Span(marker.start(2), marker.end(2)), str(number - shift)))
    return edits
