"""Questions, sources and answers of any size about rules that nobody has."""

from guards.core.exchange import Exchange, Source

ARTICLE = (
    "제{n}조(연차휴가의 부여) ① 회사는 1년간 {p}퍼센트 이상 출근한 직원에게 {n}일의 유급휴가를 "
    "준다. ② 직원이 휴가를 쓰려면 {n}일 전까지 소속 부서장에게 신청서를 제출하여야 한다. 다만, "
    "부득이한 사유가 있으면 그러하지 아니하다. ③ 제1항에 따른 휴가의 수당은 통상임금의 "
    "100분의 {p}로 하고, 상한은 {n}만원으로 한다. "
)
ANSWER = (
    "제{n}조에 따라 1년간 80% 이상 출근한 직원은 {n}일의 휴가를 받습니다. [출처: 취업규칙 제{n}조] "
    "휴가를 쓰려면 미리 부서장에게 신청서를 내야 합니다. "
)
QUESTION = "연차휴가는 며칠이고 신청은 언제까지 하나요?"


def exchange(answer_kb: int, sources_kb: int) -> Exchange:
    return Exchange(
        question=QUESTION,
        sources=tuple(
            Source(str(n), f"취업규칙 제{n}조(연차휴가)", sized(ARTICLE.format(n=n, p=80), 1))
            for n in range(1, sources_kb + 1)
        ),
        answer=sized(ANSWER.format(n=1), answer_kb),
    )


def sized(text: str, kilobytes: int) -> str:
    """Return a text of so many KB in UTF-8, by repeating."""
    size = kilobytes * 1024
    return (text * (size // len(text.encode()) + 1)).encode()[:size].decode(errors="ignore")
