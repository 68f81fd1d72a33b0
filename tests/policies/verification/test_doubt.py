"""What is called verified: nothing that the comparison with the sources leaves in doubt."""

from policies import verify
from policies.verification.shape import Label, Options, Verification
from tests.fakes.fake_judge import FakeJudge, supports
from tests.tables import each_row


def verified(
    question: str, source: str, answer: str, judge: FakeJudge | None = None
) -> Verification:
    use = Options(judge="auto" if judge else "off")
    sources = [{"section_title": "안내", "section_content": source}]
    return verify(question, answer, sources, options=use, judge=judge)


@each_row("question, source, right, wrong", "fields")
def test_what_the_source_says_is_verified(
    question: str, source: str, right: str, wrong: str
) -> None:
    del wrong
    result = verified(question, source, right)

    assert result.verified
    assert {claim.label for claim in result.claims} == {Label.SUPPORTED}


@each_row("question, source, right, wrong", "fields")
def test_what_it_does_not_say_is_not(question: str, source: str, right: str, wrong: str) -> None:
    del right
    result = verified(question, source, wrong)

    assert not result.verified
    assert Label.SUPPORTED not in {claim.label for claim in result.claims}
    assert result.issues


DOUBTED = (
    "주차는 어떻게 하나요?",
    "투숙객은 지하 2층 주차장을 이용합니다. 요금은 프런트에서 정산합니다.",
    "투숙객은 지하 2층 주차장을 이용하며, 출차는 직접 하셔야 합니다.",
)


def test_a_sentence_in_doubt_is_named() -> None:
    result = verified(*DOUBTED)

    (claim,) = result.claims
    assert claim.label in {Label.PARTIAL, Label.UNSUPPORTED}
    assert not result.verified
    assert any(claim.text in issue for issue in result.issues)


def test_a_judge_that_backs_it_with_a_quote_clears_it() -> None:
    result = verified(*DOUBTED, FakeJudge(supports("투숙객은 지하 2층 주차장을 이용합니다.")))

    (claim,) = result.claims
    assert claim.label is Label.SUPPORTED
    assert result.verified
