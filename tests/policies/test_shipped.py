import re
import shutil
from pathlib import Path

import pytest

from guards.core.exchange import Exchange, Source
from guards.core.guard import Stage
from guards.core.registry import all_guards
from policies.inspection import Inspector
from policies.schema.base import Mode, PolicyError
from policies.schema.inheritance import SHIPPED as SHIPPED_FOLDER
from policies.schema.inheritance import PolicyFile, shipped_files
from policies.schema.loader import LoadedPolicy, load_policies, load_shipped, load_text, survey
from policies.schema.policy import Action, OnNotRun, Policy
from policies.schema.sections import StoredText, Tone
from tests.tables import each_row

SHIPPED = sorted(shipped_files())
EXAMPLES = ["hotel", "hr-policy"]
SOURCES = (
    Source(id="1", title="취업규칙 제10조", text="연차휴가는 15일이다."),
    Source(id="2", title="", text="출장비는 실비로 준다.", file="travel.pdf"),
)
BARE = Exchange(question="경조금은 얼마인가요?")
WITH_SOURCES = Exchange(question="경조금은 얼마인가요?", sources=SOURCES)

EVERY_TEMPLATE = [
    pytest.param(policy, template, id=f"{policy}:{template}")
    for policy in SHIPPED
    for template in load_shipped(policy).policy.templates
]


def test_what_ships() -> None:
    assert SHIPPED == ["default", "hotel", "hr-policy", "strict"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_policy_loads_from_a_directory_of_its_own(name: str, tmp_path: Path) -> None:
    shutil.copy(str(shipped_files()[name]), tmp_path)

    found = survey(tmp_path, require_env=True)

    assert found.errors == ()
    assert list(found.policies) == [name]
    expected = ["has no `keys`, so no app can reach it yet"] if name in EXAMPLES else []
    assert [problem.message for problem in found.warnings] == expected


@each_row("name", SHIPPED)
def test_every_guard_of_today_is_in_force(name: str) -> None:
    policy = load_shipped(name).policy

    assert policy.guards.keys() == all_guards().keys()
    off = {guard for guard, rule in policy.guards.items() if rule.mode is not Mode.ENFORCE}
    assert off == set() if name == "hotel" else {"phrases"}
    Inspector(policy)


def test_the_examples_serve_different_tenants(tmp_path: Path) -> None:
    for name in EXAMPLES:
        shutil.copy(str(shipped_files()[name]), tmp_path)

    policies = load_policies(tmp_path, require_env=True)

    assert {each.policy.tenant for each in policies.values()} == {"haebyeol-hotel", "hr-policy"}


def test_strict_lets_no_answer_out_that_a_broken_guard_could_not_check() -> None:
    strict = load_shipped("strict").policy
    acting = [
        name
        for name, rule in strict.guards.items()
        if Stage.OUTPUT in all_guards()[name].stages
        and rule.action is not Action.PASS
        and rule.mode is Mode.ENFORCE
    ]

    assert len(acting) >= 6
    assert {strict.guards[name].on_not_run for name in acting} == {OnNotRun.REPLACE}
    assert strict.guards["answerability"].options["evidence_always"]
    assert strict.tracing.text is StoredText.NONE


# --- templates -------------------------------------------------------------------------------


@pytest.mark.parametrize("exchange", [BARE, WITH_SOURCES], ids=["bare", "with-sources"])
@each_row("policy, template", EVERY_TEMPLATE)
def test_a_reply_is_polite_korean_and_recognised(
    policy: str, template: str, exchange: Exchange
) -> None:
    templates = load_shipped(policy).templates
    reply = templates.reply(template.split(".")[0], [template], exchange)

    assert reply.template == template
    assert reply.text.endswith(("요.", "다."))
    assert "\n\n\n" not in reply.text
    assert "{" not in reply.text
    assert templates.recognise(reply.text) == template


@each_row("policy, template", EVERY_TEMPLATE)
def test_a_reply_would_pass_the_policys_own_language_guard(policy: str, template: str) -> None:
    loaded = load_shipped(policy)
    text = loaded.templates.reply(template.split(".")[0], [template], BARE).text

    verdict = Inspector(loaded.policy).inspect(BARE.answered(text), Stage.OUTPUT)

    [language] = [result for result in verdict.results if result.guard == "korean_only"]
    assert language.findings == ()


@each_row("name", SHIPPED)
@each_row(
    "code", ["answerability.no_context", "answerability.empty_context", "answerability.off_topic"]
)
def test_a_question_without_evidence_is_told_what_is_missing_why_and_what_next(
    name: str, code: str
) -> None:
    text = load_shipped(name).templates.reply("answerability", [code], BARE).text

    assert "찾지 못했습니다" in text
    assert "때문일 수 있습니다." in text
    assert "다시" in text.splitlines()[-1]


@each_row("name", SHIPPED)
@each_row("code", ["complaint.venting", "complaint.abuse"])
def test_a_complaint_after_a_reply_without_evidence_names_that_reason(name: str, code: str) -> None:
    loaded = load_shipped(name)
    previous = loaded.templates.reply("answerability", ["answerability.no_context"], BARE).text
    complaint = Exchange(question="왜 이렇게 모르나요", previous_answer=previous)

    text = loaded.templates.reply("complaint", [code], complaint).text

    assert "죄송합니다" in text
    assert loaded.policy.reasons["answerability"] in text


@each_row("name", SHIPPED)
def test_the_caller_can_name_the_reason(name: str) -> None:
    loaded = load_shipped(name)
    complaint = Exchange(question="답답하네요", last_error_reason="NO_EVIDENCE")

    text = loaded.templates.reply("complaint", ["complaint.venting"], complaint).text

    assert loaded.policy.reasons["no_evidence"] in text


def test_a_complaint_out_of_nowhere_invents_no_reason() -> None:
    loaded = load_shipped("default")
    complaint = Exchange(question="답답하네요", previous_answer="연차는 15일입니다.")

    text = loaded.templates.reply("complaint", ["complaint.venting"], complaint).text

    assert not any(sentence in text for sentence in loaded.policy.reasons.values())


@each_row("name", SHIPPED)
def test_in_a_crisis_help_is_named(name: str) -> None:
    complaint = Exchange(question="살기 싫어요", last_error_reason="no_evidence")
    loaded = load_shipped(name)

    text = loaded.templates.reply("complaint", ["complaint.crisis"], complaint).text

    for number in ("109", "1577-0199", "112", "119"):
        assert number in text
    assert loaded.policy.reasons["no_evidence"] not in text


# --- intents ---------------------------------------------------------------------------------


@each_row("question", "about_rules")
@each_row("name", ["default", "strict", "hr-policy"])
def test_a_question_about_rules_is_one_about_policy(name: str, question: str) -> None:
    assert load_shipped(name).intents.intent_of(question).intent == "policy"


@each_row("question", "small_talk")
def test_small_talk_is_not_about_policy(question: str) -> None:
    assert load_shipped("default").intents.intent_of(question).intent is None


@each_row("question, intent", "a_guests_question_needs_a_source")
def test_a_guests_question_needs_a_source(question: str, intent: str) -> None:
    hotel = load_shipped("hotel")

    assert hotel.intents.intent_of(question).intent == intent
    assert intent in hotel.policy.guards["answerability"].options["intents"]


def test_a_guests_greeting_needs_none() -> None:
    assert load_shipped("hotel").intents.intent_of("안녕하세요").intent is None


# --- tones -----------------------------------------------------------------------------------

_PAUSE = re.compile(r"{%.*?%}|{{.*?}}|[“”]")
_SENTENCE_END = re.compile(r"([가-힣]+)[.!?]")


def texts_of(policy: Policy) -> dict[str, str]:
    reasons = {f"reasons.{name}": text for name, text in policy.reasons.items()}
    return {**policy.templates, **reasons}


def in_tone(tone: str, name: str, directory: Path, more: str = "") -> LoadedPolicy:
    return load_text(f"extends: {name}\ntone: {tone}\n{more}", "own", directory)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "other.yaml").write_text("extends: default\n", "utf-8")
    return tmp_path


@each_row("name", SHIPPED)
def test_every_text_for_users_is_there_in_both_tones(name: str, folder: Path) -> None:
    formal = texts_of(in_tone("formal", name, folder).policy)
    friendly = texts_of(in_tone("friendly", name, folder).policy)

    assert formal == texts_of(load_shipped(name).policy)
    assert list(formal) == list(friendly)
    for key, text in formal.items():
        assert friendly[key] != text, key
        assert re.findall(r"{%.*?%}", friendly[key]) == re.findall(r"{%.*?%}", text)


@each_row("name", SHIPPED)
@pytest.mark.parametrize(
    ("tone", "ending"), [("formal", "니다"), ("friendly", "요")], ids=["formal", "friendly"]
)
def test_every_sentence_of_a_text_is_in_its_tone(
    name: str, tone: str, ending: str, folder: Path
) -> None:
    for key, text in texts_of(in_tone(tone, name, folder).policy).items():
        said = _PAUSE.sub("", text)
        assert [end for end in _SENTENCE_END.findall(said) if not end.endswith(ending)] == [], key
        assert all(line.rstrip().endswith(".") for line in said.splitlines() if line.strip()), key


@each_row("name", "with_texts")
def test_the_friendly_texts_of_a_file_are_those_that_it_has(name: str) -> None:
    own = keys_in(shipped_files()[name])
    friendly = keys_in(PolicyFile(name, SHIPPED_FOLDER / "friendly" / f"{name}.yaml"))

    assert friendly == [key for key in own if key.startswith(("templates.", "reasons."))]


def keys_in(file: PolicyFile) -> list[str]:
    said = file.document().plain()
    assert isinstance(said, dict)
    return [
        f"{section}.{key}"
        for section, entries in said.items()
        if isinstance(entries, dict)
        for key in entries
    ]


def test_texts_of_ones_own_stay_as_they_are(folder: Path) -> None:
    own = "templates:\n  quality: 잠시 뒤에 다시 물어봐 주십시오.\n"

    templates = in_tone("friendly", "default", folder, own).policy.templates

    assert templates["quality"] == "잠시 뒤에 다시 물어봐 주십시오."
    assert "못했어요" in templates["korean_only"]


def test_a_tone_is_inherited(folder: Path) -> None:
    (folder / "house.yaml").write_text("extends: strict\ntone: friendly\n", "utf-8")

    policy = load_text("extends: house\n", "own", folder).policy

    assert policy.tone is Tone.FRIENDLY
    assert "못했어요" in policy.templates["korean_only"]


def test_a_tone_that_there_is_not_is_refused(folder: Path) -> None:
    with pytest.raises(PolicyError) as refused:
        in_tone("casual", "default", folder)

    [problem] = refused.value.problems
    assert (problem.key, problem.place.line) == ("tone", 2)
    assert "formal" in problem.message
    assert "friendly" in problem.message


BACK_OFFICE = (
    "내보내",
    "승인",
    "검색 대상",
    "검증",
    "등록된",
    "멈추었",
    "중단",
    "(는)",
    "(가)",
    "(를)",
)


@each_row("name", "replies_speak_to_the_user_and_not_of_the_machine")
@each_row("tone", ["formal", "friendly"])
def test_replies_speak_to_the_user_and_not_of_the_machine(
    name: str, tone: str, folder: Path
) -> None:
    said = texts_of(in_tone(tone, name, folder).policy).values()

    assert [text for text in said if any(word in text for word in BACK_OFFICE)] == []
    assert [text for text in said if re.search(r"(?m)^\s*[-*•※#|\[]", text)] == []
