"""A company that does not exist, its rules, and what a model makes of them."""

from pydantic import JsonValue

from policies.schema.loader import load_shipped
from proxy.openai_api.json_body import JsonObject

LEAVE = "복무규정 제21조(경조휴가)"
RULES: list[JsonObject] = [
    {
        "section_title": LEAVE,
        "section_content": "① 직원이 결혼하는 때에는 5일의 경조휴가를 준다.\n"
        "② 다음 각 호의 어느 하나에 해당하는 때에는 3일의 경조휴가를 준다.\n"
        "  1. 배우자가 출산한 때\n"
        "  2. 형제자매가 결혼한 때\n"
        "③ 그 밖의 경조휴가 일수는 별표 2와 같다.",
    },
    {
        "section_title": "복무규정 제21조의2(경조휴가의 신청)",
        "section_content": "경조휴가를 쓰려는 직원은 신청서를 소속 부서장에게 낸다.",
    },
    {
        "section_title": "복무규정 부칙",
        "section_content": "제1조(시행일) 이 규정은 2031년 3월 2일부터 시행한다.",
    },
]
ASKED = "결혼하면 경조휴가를 며칠 쓰나요? 어느 조항에 나오나요?"
TRUE_ANSWER = "결혼하시면 복무규정 제21조 제1항에 따라 5일의 경조휴가를 받습니다."
UNFOUNDED = "경조휴가는 일반적으로 7일입니다."
COMPLAINT = "왜 아무것도 몰라? 진짜 답답하네"
INVENTED = "경조휴가는 복무규정 제77조에 나옵니다."
LEAKED = "결혼하시면 5일의 婚假를 받을 수 있습니다."

DEFAULT = load_shipped("default")


def scored(score: float) -> list[JsonValue]:
    return [rule | {"score": score} for rule in RULES]


def turn(role: str, content: str) -> JsonObject:
    return {"role": role, "content": content}


def conversation(*turns: JsonObject, **more: JsonValue) -> JsonObject:
    body: JsonObject = {"model": "scripted-ko", "messages": [*turns]}
    return body | more


def with_context_block(inside: str) -> JsonObject:
    instructions = f"아래 자료만 보고 답하세요.\n\n<context>\n{inside}\n</context>"
    return conversation(turn("system", instructions), turn("user", ASKED))
