"""The question and the sources, format by format; all rules in them are invented."""

import json

import pytest
from pydantic import JsonValue

from guards.core.exchange import ContextState
from tests.proxy.openai_api.asking import (
    BOTH,
    PARKING,
    QUESTION,
    REFUND,
    RULE,
    find,
    texts,
)

USER_TURNS = [
    pytest.param(
        f"Use this material to answer.\n\n{BOTH}\n\nQuestion: {QUESTION}\nHelpful Answer:",
        id="stuff-prompt-without-a-context-heading",
    ),
    pytest.param(
        f"Answer from the retrieved context.\nQuestion: {QUESTION} \nContext: {BOTH} \nAnswer:",
        id="question-context-answer",
    ),
    pytest.param(
        f"아래 자료만 사용해 답하세요.\n\n#Example Answer:\n(답)\n\n#Question:\n{QUESTION}\n\n"
        f"#Context:\n{BOTH}\n\n#Answer:",
        id="korean-layout-with-hashes",
    ),
    pytest.param(
        f"Context information is below.\n{RULE}\n{BOTH}\n{RULE}\n"
        f"Given the context information and not prior knowledge, answer the query.\n"
        f"Query: {QUESTION}\nAnswer: ",
        id="ruled-context",
    ),
    pytest.param(
        f"The original query is as follows: {QUESTION}\n"
        "We have provided an existing answer: 몰라요.\n"
        f"We may refine it with some more context below.\n------------\n{BOTH}\n------------\n"
        "Given the new context, refine the original answer.\nRefined Answer: ",
        id="refining-an-answer",
    ),
    pytest.param(f"[참고 자료]\n{BOTH}\n\n[질문]\n{QUESTION}", id="bracketed-headings"),
    pytest.param(
        f"=== 참고 문서 ===\n{BOTH}\n\n=== 대화 이력 ===\n사용자: 안녕\n\n"
        f"=== 현재 질문 ===\n{QUESTION}\n\n"
        "=== 답변 규칙 ===\n1. 문서에 있는 내용만 답하세요.",
        id="headings-between-equals-signs",
    ),
    pytest.param(
        f"**참고 문서:**\n{BOTH}\n\n**질문:** {QUESTION}\n\n**답변:**", id="bold-headings"
    ),
    pytest.param(
        f"관련 문서:\n{BOTH}\n\n사용자 질문: {QUESTION}\n\n위 문서를 참고하여 답변해 주세요.",
        id="instruction-behind-the-question",
    ),
    pytest.param(
        f"다음은 관련 규정입니다:\n\n{BOTH}\n\n---\n\n질문: {QUESTION}",
        id="introduced-by-a-sentence",
    ),
    pytest.param(
        f"참고 문서:\n[문서 1] 환불\n{REFUND}\n\n[문서 2] 주차\n{PARKING}\n\n"
        f"질문: {QUESTION}\n\n답변:",
        id="numbered-documents",
    ),
    pytest.param(
        f"【자료 1】 환불\n{REFUND}\n\n【자료 2】 주차\n{PARKING}\n\n"
        f"위 자료를 보고 답해 주세요: {QUESTION}",
        id="numbered-without-a-heading",
    ),
    pytest.param(
        f"▶ 검색 결과\n▷ 환불\n{REFUND}\n\n▷ 주차\n{PARKING}\n\n▶ 문의\n{QUESTION}", id="triangles"
    ),
    pytest.param(
        f"#### 규정 발췌 ####\n{REFUND}\n####\n{PARKING}\n#### 질의 ####\n{QUESTION}",
        id="hash-rules",
    ),
    pytest.param(f"<<관련 규정>>\n{BOTH}\n<<끝>>\n{QUESTION}", id="double-angles-with-an-end-mark"),
    pytest.param(f"context = {[REFUND, PARKING]!r}\nquery = '{QUESTION}'", id="printed-list"),
    pytest.param(
        f"<CONTEXT>\n{BOTH}\n</CONTEXT>\n\n<QUESTION>\n{QUESTION}\n</QUESTION>\n\n<ANSWER>\n",
        id="upper-case-tags",
    ),
    pytest.param(
        "<documents>\n"
        f'<document index="1">\n<source>환불.pdf</source>\n<document_content>\n{REFUND}\n'
        "</document_content>\n</document>\n"
        f'<document index="2">\n<source>주차.pdf</source>\n<document_content>\n{PARKING}\n'
        f"</document_content>\n</document>\n</documents>\n\n{QUESTION}",
        id="documents-with-index",
    ),
    pytest.param(
        f"使用 <Data></Data> 中的内容作为知识:\n\n<Data>\n{REFUND}\n------\n{PARKING}\n</Data>\n\n"
        f'回答要求：\n- 使用与问题相同的语言回答。\n\n问题:"""{QUESTION}"""',
        id="data-tags-with-a-mention-of-them",
    ),
    pytest.param(
        f"已知信息：\n{BOTH}\n回答要求：\n- 请简洁回答。\n用户问题：\n{QUESTION}",
        id="chinese-headings",
    ),
    pytest.param(
        "Answer from the sources and cite them. For example:\nSource 1:\nBees make honey.\n"
        "Query: Who makes honey?\nAnswer: Bees [1].\n"
        f"Below are several numbered sources of information:\n------\nSource 1:\n{REFUND}\n\n"
        f"Source 2:\n{PARKING}\n------\nQuery: {QUESTION}\nAnswer: ",
        id="numbered-sources-behind-an-example",
    ),
    pytest.param(
        "Answer from the sources only and cite each of them by its number right behind what it "
        "supports. An answer needs one citation at least. If no source is of any help, say that "
        "there is none instead of guessing what the answer could be. For example:\nSource 1:\n"
        "Bees make honey.\nQuery: Who makes honey?\nAnswer: Bees [1].\nNow the real one. "
        f"Below are several numbered sources of information:\n------\nSource 1:\n{REFUND}\n\n"
        f"Source 2:\n{PARKING}\n------\nQuery: {QUESTION}\nAnswer: ",
        id="example-announced-at-the-end-of-a-long-paragraph",
    ),
    pytest.param(
        "예시:\n문서: 소금은 짜다.\n질문: 소금 맛은?\n답변: 짭니다.\n\n"
        f"참고 문서:\n{BOTH}\n\n질문: {QUESTION}\n답변:",
        id="few-shot-example-first",
    ),
    pytest.param(
        f"| 번호 | 제목 | 내용 |\n|---|---|---|\n| 1 | 환불 | {REFUND} |\n"
        f"| 2 | 주차 | {PARKING} |\n\n"
        f"위 표의 자료로 답해 주세요: {QUESTION}",
        id="table",
    ),
    pytest.param(
        json.dumps(
            {
                "question": QUESTION,
                "sources": [
                    {"section_title": "환불", "section_content": REFUND},
                    {"text": PARKING},
                ],
            },
            ensure_ascii=False,
        ),
        id="json-object",
    ),
]


@pytest.mark.parametrize("turn", USER_TURNS)
def test_reads_question_and_sources_out_of_a_templated_user_turn(turn: str) -> None:
    found = find(("system", "당신은 규정 도우미입니다. 간결하게 답하세요."), ("user", turn))

    assert texts(found) == [REFUND, PARKING]
    assert found.question == QUESTION
    assert found.context is ContextState.FOUND
    assert [place.message for place in found.found] == [1]


SYSTEM_TURNS = [
    pytest.param(f"문서로 답하세요.\n\n참고 문서:\n{BOTH}", id="heading-to-the-end"),
    pytest.param(
        f"# 역할\n사내 챗봇\n\n# 참고 자료\n{BOTH}\n\n"
        "# 규칙\n- 존댓말로 답하세요.\n- 추측하지 마세요.",
        id="headings-on-both-sides",
    ),
    pytest.param(
        f"Use the material below to answer the question.\n----------------\n{BOTH}",
        id="open-rule",
    ),
    pytest.param(
        f"Answer from the resources provided.\n------------\n{BOTH}\n------------\n"
        "REMEMBER: If there is no relevant information within the context, say so.",
        id="closed-rule",
    ),
    pytest.param(
        f"You are a clerk. Use the following pieces of context to answer.\n\n{BOTH}",
        id="announced-by-a-sentence",
    ),
    pytest.param(
        "Use the following context, inside <context></context> tags.\n\n"
        f"<context>\n{BOTH}\n</context>\n\n- If you don't know, say so.",
        id="context-tags-with-a-mention",
    ),
    pytest.param(
        f'<context>\n<source id="1" name="환불">{REFUND}</source>\n'
        f'<source id="2" name="주차">{PARKING}</source>\n</context>',
        id="source-tags",
    ),
    pytest.param(
        f"Here is the knowledge base:\n------\n\nID: 0\n├── Title: 환불\n└── Content:\n{REFUND}\n\n"
        f"------\n\nID: 1\n├── Title: 주차\n└── Content:\n{PARKING}\n"
        "The above is the knowledge base.",
        id="knowledge-tree",
    ),
    pytest.param(
        f"Context:\n[CONTEXT 0]:\n{REFUND}\n[END CONTEXT 0]\n\n"
        f"[CONTEXT 1]:\n{PARKING}\n[END CONTEXT 1]\n",
        id="numbered-from-zero-with-end-marks",
    ),
    pytest.param(
        f"[Source: a.pdf]\n[Page 3]\n{REFUND}\n\n[Source: b.pdf]\n[Page 9]\n{PARKING}",
        id="source-and-page-marks",
    ),
    pytest.param(
        f"page_label: 3\nfile_path: a.pdf\n\n{REFUND}\n\n"
        f"page_label: 9\nfile_path: b.pdf\n\n{PARKING}\n\n"
        "위 자료만 보고 답변하세요.",
        id="fields-above-each-node",
    ),
]


@pytest.mark.parametrize("prompt", SYSTEM_TURNS)
def test_reads_sources_out_of_a_system_message(prompt: str) -> None:
    found = find(("system", prompt), ("user", QUESTION))

    assert texts(found) == [REFUND, PARKING]
    assert found.question == QUESTION
    assert [place.message for place in found.found] == [0]


def test_developer_message_is_a_system_message() -> None:
    found = find(("developer", f"검색 결과:\n[1] 환불\n{REFUND}"), ("user", QUESTION))

    assert [(source.id, source.title, source.text) for source in found.sources] == [
        ("1", "환불", REFUND)
    ]


def test_content_parts_are_one_text() -> None:
    parts: list[JsonValue] = [
        {"type": "text", "text": f"<documents><document>{REFUND}</document></documents>"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "text", "text": QUESTION},
    ]
    found = find(("user", parts))

    assert (texts(found), found.question) == ([REFUND], QUESTION)


def test_context_in_a_user_message_of_its_own_belongs_to_the_turn() -> None:
    found = find(("user", f"참고 자료:\n{BOTH}"), ("user", QUESTION))

    assert (texts(found), found.question) == ([REFUND, PARKING], QUESTION)


TOOL_RESULTS = [
    pytest.param(
        [{"title": "환불", "content": REFUND, "score": 0.9, "page": 3}], 0.9, id="list-of-records"
    ),
    pytest.param(
        {"results": [{"page_content": REFUND, "metadata": {"title": "환불", "page": 3}}]},
        None,
        id="records-with-metadata",
    ),
    pytest.param(
        {"matches": [{"score": 0.4, "metadata": {"text": REFUND, "title": "환불", "page": 3}}]},
        0.4,
        id="matches-of-a-vector-store",
    ),
    pytest.param(
        {"data": {"items": [{"heading": "환불", "body": REFUND, "page": "3"}]}},
        None,
        id="nested-containers",
    ),
    pytest.param(
        [{"type": "text", "text": json.dumps({"title": "환불", "text": REFUND, "page": 3})}],
        None,
        id="json-within-json",
    ),
]


@pytest.mark.parametrize("role", ["tool", "function"])
@pytest.mark.parametrize(("result", "score"), TOOL_RESULTS)
def test_reads_records_of_a_tool_result(result: JsonValue, score: float | None, role: str) -> None:
    found = find(("user", QUESTION), (role, json.dumps(result, ensure_ascii=False)))

    [source] = found.sources
    assert (source.title, source.text, source.page, source.score) == ("환불", REFUND, 3, score)


def test_tool_text_is_a_source() -> None:
    assert texts(find(("user", QUESTION), ("tool", REFUND))) == [REFUND]


def test_record_without_text_is_read_as_lines() -> None:
    found = find(("user", "서울 기온은?"), ("tool", '{"city": "서울", "air": {"celsius": 21.5}}'))

    assert texts(found) == ["city: 서울\nair.celsius: 21.5"]


DOCUMENT_FIELDS = [
    pytest.param([{"title": "환불", "text": REFUND}], id="title-and-text"),
    pytest.param([{"id": "d0", "data": {"title": "환불", "snippet": REFUND}}], id="id-and-data"),
]


@pytest.mark.parametrize("documents", DOCUMENT_FIELDS)
def test_reads_the_documents_field(documents: list[JsonValue]) -> None:
    found = find(("user", QUESTION), beside={"documents": documents})

    assert [(source.title, source.text) for source in found.sources] == [("환불", REFUND)]
    assert [(place.format, place.message) for place in found.found] == [("documents", None)]


def test_strings_are_documents_too() -> None:
    assert texts(find(("user", QUESTION), beside={"documents": [REFUND, PARKING]})) == [
        REFUND,
        PARKING,
    ]


TAGGED = f"<documents>\n<document>\n{REFUND}\n</document>\n</documents>"
ANNOUNCED = [
    pytest.param(f"아래는 고객의 질문입니다.\n{QUESTION}\n\n{TAGGED}", id="question-below"),
    pytest.param(f"고객 질문은 다음과 같습니다.\n{QUESTION}\n\n{TAGGED}", id="question-like-this"),
    pytest.param(f"사용자가 다음과 같이 물었습니다:\n{QUESTION}\n{TAGGED}", id="asked-like-this"),
    pytest.param(f"고객이 문의했습니다: {QUESTION}\n{TAGGED}", id="on-one-line"),
    pytest.param(f"The user asked: {QUESTION}\n\n{TAGGED}\n\nAnswer in Korean.", id="english"),
    pytest.param(
        f"다음은 질문입니다.\n{QUESTION}\n\n다음은 검색된 문서입니다.\n{TAGGED}\n답변:",
        id="context-announced-too",
    ),
    pytest.param(
        f"{TAGGED}\n\n위 문서를 읽고 답하세요.\n문의는 아래와 같습니다.\n{QUESTION}\n\n답변:",
        id="question-behind",
    ),
    pytest.param(
        f"아래는 사용자의 질문입니다.\n{QUESTION}\n\n아래는 참고 문서입니다.\n[1] {REFUND}\n\n"
        "문서에 없는 내용은 답하지 마세요.",
        id="without-tags",
    ),
]


@pytest.mark.parametrize("prompt", ANNOUNCED)
def test_sentences_that_announce_the_question_are_none_of_it(prompt: str) -> None:
    found = find(("user", prompt))

    assert found.question == QUESTION
    assert texts(found) == [REFUND]


@pytest.mark.parametrize(
    "question",
    [
        "고객이 환불을 문의했습니다. 며칠 안에 해 주나요?",
        "질문이 하나 있습니다. 아래층 회의실은 언제 여나요?",
        "다음은 어떤 질문을 드려야 하나요?",
    ],
)
def test_a_question_that_speaks_of_questions_stays_whole(question: str) -> None:
    assert find(("user", f"{question}\n\n{TAGGED}")).question == question
