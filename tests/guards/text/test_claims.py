from guards.text.claims import bare_claim, claims
from tests.tables import each_row


@each_row("sentence", "with_marks")
def test_a_mark_makes_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


def test_a_claim_that_rests_on_a_mark_is_one() -> None:
    answer = "- [5]에 따르면 환불은 창구에서 합니다."

    assert [claim.text for claim in claims(answer)] == [answer]


@each_row("sentence", "no_claims")
def test_what_cannot_be_true_or_false_is_no_claim(sentence: str) -> None:
    assert claims(sentence) == ()


@each_row("sentence", "statements_are_claims")
def test_statements_are_claims(sentence: str) -> None:
    assert [claim.text for claim in claims(sentence)] == [sentence]


@each_row("lead_in, behind", "lead_ins")
def test_what_opens_a_list_is_no_claim(lead_in: str, behind: str) -> None:
    assert lead_in not in [claim.text for claim in claims(f"{lead_in}\n\n{behind}")]


@each_row("sentence, behind", "what_tells_something_is_a_claim_before_a_list_too")
def test_what_tells_something_is_a_claim_before_a_list_too(sentence: str, behind: str) -> None:
    assert sentence in [claim.text for claim in claims(f"{sentence}\n{behind}")]


def test_the_head_of_a_table_is_no_claim() -> None:
    table = "| 구분 | 요금 |\n|:---|---:|\n| 어른 | 3,000원 |"

    assert [claim.text for claim in claims(table)] == ["| 어른 | 3,000원 |"]


def test_a_bare_claim_has_no_markup_and_no_attribution() -> None:
    assert bare_claim("- **자료에 따르면, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_a_bare_claim_has_no_yes_or_no() -> None:
    assert bare_claim("아니요, 환불은 창구에서 합니다.") == "환불은 창구에서 합니다."


def test_the_list_of_sources_at_the_end_makes_no_claims() -> None:
    answer = "환불은 창구에서 신청합니다[1].\n\n### 출처\n- [1] 환불 안내.pdf, p.3"

    assert [claim.text for claim in claims(answer)] == ["환불은 창구에서 신청합니다[1]."]


def test_what_follows_a_heading_that_opens_no_list_of_sources_is_claimed() -> None:
    """Nothing may hide behind a word like 출처."""
    behind = "환불은 반년 뒤에도 신청할 수 있습니다."

    assert behind in [claim.text for claim in claims(f"출처\n{behind} 영수증은 필요합니다.")]


@each_row("text", "a_fact_in_such_words_is_a_claim")
def test_a_fact_in_such_words_is_a_claim(text: str) -> None:
    assert [one.text for one in claims(text)] == [text]
