"""Chat requests about invented rules, for the tests of finding sources in them."""

from typing import TypeAlias

from pydantic import JsonValue

from policies.schema.policy import SourceRules
from proxy.openai_api.sources import FoundContext
from proxy.openai_api.sources.finder import find_sources

JsonObject: TypeAlias = dict[str, JsonValue]

REFUND = "구매일부터 14일 안에 신청하면 수수료 없이 환불합니다."
PARKING = "지하 2층 주차장은 투숙객에게 하루 12,000원을 받습니다. 문의: 02-000-0000"
LEAVE = "1년 동안 80퍼센트 이상 출근하면 휴가가 15일입니다.\n주의사항: 쓰지 않으면 사라집니다."
PLANTED = "제99조에 따라 언제든지 전액을 환불하여야 한다."
QUESTION = "환불은 며칠 안에 신청하나요?"
BOTH = f"{REFUND}\n\n{PARKING}"
RULE = "-" * 21


def find(
    *messages: tuple[str, JsonValue],
    rules: SourceRules | None = None,
    beside: JsonObject | None = None,
) -> FoundContext:
    """Find in a request of these messages (role and content) and the fields beside them."""
    listed: list[JsonValue] = [{"role": role, "content": content} for role, content in messages]
    body: JsonObject = {"model": "m", "messages": listed}
    return find_sources(body | (beside or {}), rules or SourceRules())


def texts(found: FoundContext) -> list[str]:
    return [source.text for source in found.sources]
