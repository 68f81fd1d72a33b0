"""A shop that does not exist, its terms, and what is said about them."""

from guards.core.exchange import Source

REFUND = Source(
    "1",
    "제9조(환불)",
    "물품을 받은 날부터 20일 이내에 환불을 신청할 수 있다. 포장을 뜯은 물품은 환불하지 않는다.",
    file="terms.pdf",
    page=4,
)
DELIVERY = Source(
    "2",
    "제11조(배송)",
    "배송은 결제가 끝난 날부터 4일 이내에 시작하며, 배송비는 3,700원이다.",
    file="terms.pdf",
    page=6,
)
POINTS = Source(
    "3",
    "제14조(적립금)",
    "적립금은 구매 금액의 2퍼센트로 하고, 적립한 날부터 18개월이 지나면 소멸한다.",
    file="points.pdf",
    page=2,
)
REPAIR = Source(
    "4",
    "제16조(수리)",
    "무상 수리는 구매일부터 15개월 동안 제공하며, 수리 접수는 고객센터에서 한다.",
    file="repair.pdf",
    page=1,
)
MEMBERS = Source(
    "5",
    "제19조(회원 등급)",
    "회원 등급은 매년 3월과 9월에 최근 구매 실적을 기준으로 정한다.",
    file="members.pdf",
    page=9,
)
SOURCES = (REFUND, DELIVERY, POINTS, REPAIR, MEMBERS)
QUESTION = "환불, 배송, 적립금, 수리는 어떻게 되나요?"

REFUND_SAID = "물품을 받은 날부터 20일 이내에 환불을 신청할 수 있습니다"
DELIVERY_SAID = "배송은 결제가 끝난 날부터 4일 이내에 시작합니다"
FAITHFUL = f"{REFUND_SAID}[†1]. {DELIVERY_SAID}[†2]."
WRONG_FIGURE = "물품을 받은 날부터 45일 이내에 환불을 신청할 수 있습니다[†1]."

FIVE_CITATIONS = """\
물품을 받은 날부터 20일 이내에 환불을 신청할 수 있습니다[†1].
배송은 결제가 끝난 날부터 4일 이내에 시작합니다[†2].
포장을 뜯은 물품은 환불하지 않습니다[†1][†3].
무상 수리는 구매일부터 15개월 동안 제공합니다[†4].
수리 접수는 고객센터에서 합니다[†4][†5].

### References
- [†1] terms.pdf, p.4
- [†2] terms.pdf, p.6
- [†3] points.pdf, p.2
- [†4] repair.pdf, p.1
- [†5] members.pdf, p.9
"""
"""Five citations; the third and the fifth say nothing of what they are cited for."""
THREE_CITATIONS = """\
물품을 받은 날부터 20일 이내에 환불을 신청할 수 있습니다[†1].
배송은 결제가 끝난 날부터 4일 이내에 시작합니다[†2].
포장을 뜯은 물품은 환불하지 않습니다[†1].
무상 수리는 구매일부터 15개월 동안 제공합니다[†3].
수리 접수는 고객센터에서 합니다[†3].

### References
- [†1] terms.pdf, p.4
- [†2] terms.pdf, p.6
- [†3] repair.pdf, p.1
"""
