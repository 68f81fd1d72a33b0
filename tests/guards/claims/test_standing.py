from guards.claims.reader import read_claims
from guards.claims.standing import Standing, abstains, standing_of, standing_of_sentence
from tests.tables import each_row


def standings(text: str) -> list[Standing]:
    """Return the standing of each clause of a text."""
    return [
        standing_of(claim, sentence)
        for sentence in read_claims(text).sentences
        for claim in sentence
    ]


@each_row("text", "abstentions")
def test_abstentions(text: str) -> None:
    assert Standing.ABSTENTION in standings(text)
    assert abstains(text)


@each_row("text", "courtesies")
def test_courtesies(text: str) -> None:
    assert set(standings(text)) == {Standing.COURTESY}


@each_row("text", "advice")
def test_advice(text: str) -> None:
    assert set(standings(text)) == {Standing.ADVICE}


@each_row("text", "assertions")
def test_assertions(text: str) -> None:
    assert standings(text)[-1] is Standing.ASSERTED
    assert not abstains(text)


@each_row("text, expected", "each_clause_stands_by_itself")
def test_each_clause_stands_by_itself(text: str, expected: list[Standing]) -> None:
    assert standings(text) == expected


def test_a_condition_stands_as_what_it_is_a_condition_of() -> None:
    assert set(standings("기한이 지났다면 창구에 문의해 주세요.")) == {Standing.COURTESY}
    assert set(standings("기한이 지났다면 벌금을 냅니다.")) == {Standing.ASSERTED}


def test_questions_and_headings_assert_nothing() -> None:
    assert standings("더 필요하신 것이 있나요?") == [Standing.QUESTION]
    assert standings("## 환불 절차\n\n수수료는 없습니다.") == [Standing.LABEL, Standing.ASSERTED]


def test_a_sentence_asserts_if_any_clause_does() -> None:
    [sentence] = read_claims("처리 기간은 자료에 없지만 보통 3일 걸립니다.").sentences

    assert standing_of_sentence(sentence) is Standing.ASSERTED


@each_row("answer, expected", "an_answer_abstains_if_nothing_else_is_said")
def test_an_answer_abstains_if_nothing_else_is_said(answer: str, expected: bool) -> None:
    assert abstains(answer) is expected
