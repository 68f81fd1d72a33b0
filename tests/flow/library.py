"""A library that does not exist, and one true and two false answers about it."""

from pydantic import JsonValue

from tests.fakes.running_proxy import chat_body

SOURCE = "대출 기간은 9일이고 한 번에 6권까지 빌릴 수 있습니다. 연체료는 하루에 70원입니다."
FEES: list[JsonValue] = [
    {"section_title": "참새골 도서관 이용 안내", "section_content": SOURCE},
]
ASKED = "대출 기간과 연체료를 알려 주세요"
TRUE_ANSWER = "대출 기간은 9일이고 연체료는 하루에 70원입니다."
ONE_WRONG = "대출 기간은 9일이고 연체료는 하루에 800원입니다."
TWO_WRONG = "대출 기간은 45일이고 연체료는 하루에 800원입니다."
QUESTION = chat_body(ASKED, FEES)
