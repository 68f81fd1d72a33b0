"""Words around a number that say what it is: an identifier of a person, or the number of a thing.

A label right before a number settles it: an order number (주문번호) is none of a person's, whatever
it looks like, and neither are those that follow it in a list.
"""

import re

# None of these words counts where it is the label of what was masked before.
_NO_LABEL = r"(?!번호[-\]])"
RESIDENT = re.compile(
    r"(?:주민(?!센터|자치|세|투표|회의|참여)|외국인|민증)(?!등록번호[-\]])", re.IGNORECASE
)
CORPORATE = re.compile(r"법인")
PHONE = re.compile(rf"(?:전화|연락처|휴대폰|핸드폰|팩스|tel|phone|fax){_NO_LABEL}", re.IGNORECASE)
LICENCE = re.compile(rf"면허{_NO_LABEL}")
PASSPORT = re.compile(rf"여권{_NO_LABEL}|passport", re.IGNORECASE)
CARD = re.compile(rf"카드{_NO_LABEL}|\bcard\b", re.IGNORECASE)
BANK = re.compile(
    rf"계좌{_NO_LABEL}|은행|뱅크|농협|수협|신협|금고|우체국|입금|송금|이체|예금주|bank|account",
    re.IGNORECASE,
)
BANK_CLOSE_BY = re.compile(rf"(?:{BANK.pattern})[^\d\n]{{0,5}}\Z", re.IGNORECASE)
# Ordinary words as well: a bank only right before what is written like an account.
BANK_IN_SHORT = re.compile(
    r"(?<![가-힣])(?:국민|신한|우리|하나|기업|산업|카카오|케이|토스|씨티|새마을)[ :]{1,2}\Z"
)
INSURANCE = re.compile(r"(?:건강보험|보험증)(?!증?번호[-\]])")
BUSINESS = re.compile(r"사업자(?!등록번호[-\]])")
PLATE = re.compile(r"(?:차량?|자동차) ?(?:등록)? ?번호(?![-\]])|번호판")
CAR = re.compile(
    rf"차량{_NO_LABEL}|자동차|승용차|승합차|화물차|(?<!\d)주차|차주|렌터카"
    r"|(?<![가-힣])차(?:[를가는] |\s)"
)

_NEAR_CHARS = 15
_FAR_CHARS = 60

_THINGS = (
    "주문|관리|자산|모델|접수|과제|문서|제품|상품|품목|물품|비품|일련|제조|공사|계약|송장|운송장"
    "|등기|승인|거래|결제|예약|예매|사건|고시|공고|의안|안건|특허|출원|허가|인가|인증|민원|처리"
    "|발급|발행|증권|증서|쿠폰|입찰|구매|발주|견적|청구|영수증|전표|도서|시설|장비|기기|설비|부품"
    "|재고|배송|화물|택배|추적|조회|신청|수험|응시|프로젝트|사업|법인|법인 ?등록|티켓|게시"
    "|시리얼|바코드|품질|시험|검사|점검|수리|보증|차대|엔진"
    "|(?<!거소)(?<!거소 )신고|(?<!주민)(?<!주민 )(?<!외국인)(?<!외국인 )(?<!사업자)등록"
)
_THINGS_ALONE = (
    r"주문|바코드|코드|모델명?|품번|시리얼|송장|타임스탬프"
    r"|\b(?:isbn|issn|ean|gtin|sku|upc|barcode|model|order|part|serial|epoch|timestamp)"
)
_LABEL_BEFORE = re.compile(
    rf"(?:(?:{_THINGS}) ?(?:번호|코드|넘버|id)"
    rf"|(?:{_THINGS_ALONE})(?: ?(?:번호|넘버|no\.?|number))?)"
    r"(?P<between>[은는이가의을를과와및도\s:=,·|*\"'()\[\]#\d-]{0,40})\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d -]*\d", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)
_LABEL_AFTER = re.compile(
    rf"번 ?(?:{_THINGS})|이?라는 (?:{_THINGS})| ?\((?:{_THINGS}) ?(?:번호|코드)"
)


def before(match: re.Match[str], chars: int = _NEAR_CHARS) -> str:
    """Return what stands right before a match."""
    return match.string[max(0, match.start() - chars) : match.start()]


def after(match: re.Match[str]) -> str:
    """Return what stands right after a match."""
    return match.string[match.end() : match.end() + _NEAR_CHARS]


def is_of_a_thing(match: re.Match[str]) -> bool:
    """Tell whether a label calls a number that of a thing: an order, a model, a file."""
    label = _LABEL_BEFORE.search(before(match, _FAR_CHARS))
    if label is None:
        return _LABEL_AFTER.match(match.string, match.end()) is not None
    # What follows another kind of number is no longer what the label speaks of.
    shape = _DIGIT.sub("0", match[0])
    return all(_DIGIT.sub("0", one) == shape for one in _NUMBER.findall(label["between"]))
