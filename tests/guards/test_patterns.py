"""Plain texts that patterns need: no pattern that matches a text is left out."""

import json
from pathlib import Path

from guards.claims import reader, standing
from guards.evidence.opposites import acts
from guards.korean.morphemes import morphemes
from guards.lexicons.loading import Candidates, needed_by
from tests.tables import each_row

_SETS = Path(__file__).parents[1] / "quality" / "sets"


@each_row(
    "pattern, text",
    [
        ("(?:가나|가나다)라", "가나다라"),
        ("(?:요청|요)/NNG", "요청/NNG"),
        ("(?:아야|야)/EC", "아야/EC"),
        ("가?나", "나"),
        ("가{0,2}나", "나"),
        ("(?:가|나)?다", "다"),
        ("(?:가|나){0,1}다", "다"),
        ("(?:가(?:나|다)?|라)마", "라마"),
        ("가나|다", "다"),
        (r"\S{2,3} 가", "나다 가"),
        ("(?:(?:(?:가|나)|다)|라)마", "라마"),
        ("[가나]다", "나다"),
        ("(?<!가)나(?! (?:다|라))", "나 마"),
        ("(가|나)다", "나다"),
        ("가*", ""),
    ],
)
def test_a_text_that_matches_has_what_its_pattern_needs(pattern: str, text: str) -> None:
    assert Candidates(["결코", pattern]).of(text)[-1:] == [1]


def test_the_longest_text_is_looked_for() -> None:
    assert needed_by("(?:가|나)/J (?:어렵|힘들|불가능)/") == ["어렵/", "힘들/", "불가능/"]


def _trails() -> list[str]:
    lines = (_SETS / "answers.jsonl").read_text("utf-8").splitlines()
    texts = {json.loads(line)["faithful"] for line in lines[:60]}
    clauses = (one for text in sorted(texts) for one in reader.read_claims(text).claims)
    return [one.clause.trail for one in clauses]


def test_each_rule_that_matches_is_a_candidate() -> None:
    trails = _trails()
    forms = [" ".join(one.form for one in morphemes(trail)) for trail in trails]
    rules = [
        ([pattern for _, pattern, _ in reader._rules()[0]], trails),
        ([pattern for _, pattern in acts._TURNS], trails),
        ([pattern for _, pattern, _ in standing._rules()[0]], forms),
    ]
    for patterns, texts in rules:
        candidates = Candidates(one.pattern for one in patterns)
        for text in texts:
            matching = {at for at, one in enumerate(patterns) if one.search(text)}
            assert matching <= set(candidates.of(text)), text
