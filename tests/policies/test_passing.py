from policies.schema.passing import WITHOUT_ANSWERS, open_methods, read_rule
from policies.schema.policy import Policy
from tests.policies.conftest import Folder
from tests.tables import each_row

TENANT = """
tenant: acme
upstream:
  base_url: http://127.0.0.1:8000/v1
  pass_caller_key: true
guards:
  korean_only: {mode: enforce}
  personal_data: {mode: enforce, options: {input: off}}
templates:
  fallback: 지금은 답변드릴 수 없습니다. 나중에 다시 시도해 주세요.
"""


@each_row("rule, path, methods", "opened")
def test_a_rule_opens(rule: str, path: str, methods: set[str]) -> None:
    assert open_methods([rule], tuple(path.split("/"))) == methods


def test_rules_add_up() -> None:
    rules = ["GET /files/**", "POST /files", "DELETE /files/*"]

    assert open_methods(rules, ("files",)) == {"GET", "HEAD", "POST"}
    assert open_methods(rules, ("files", "f")) == {"GET", "HEAD", "DELETE"}
    assert open_methods([], ("files",)) == set()


@each_row("one, other, meet", "meeting")
def test_two_rules_meet_where_a_request_fits_both(one: str, other: str, meet: bool) -> None:
    assert read_rule(one).meets(read_rule(other)) is meet
    assert read_rule(other).meets(read_rule(one)) is meet


@each_row("rule, said", "wrong")
def test_a_wrong_rule_is_named_by_file_line_and_key(folder: Folder, rule: str, said: str) -> None:
    folder.write("acme.yaml", f"passthrough:\n  - GET /models\n  - {rule}\n{TENANT}")

    assert folder.only_error() == f"acme.yaml:3:5: passthrough[1]: {said}"


def test_the_default_opens_nothing_that_carries_an_answer(folder: Folder) -> None:
    folder.write("acme.yaml", TENANT)

    assert folder.load()["acme"].policy.passthrough == WITHOUT_ANSWERS
    assert folder.warnings() == []


def test_a_list_takes_the_place_of_the_default(folder: Folder) -> None:
    folder.write("acme.yaml", f"passthrough: []\n{TENANT}")

    assert folder.load()["acme"].policy.passthrough == ()


def test_a_rule_that_opens_answers_says_which(folder: Folder) -> None:
    folder.write("acme.yaml", f"passthrough:\n  - /files/**\n  - /responses/**\n{TENANT}")

    assert folder.warnings() == [
        "acme.yaml:3:5: passthrough[1]: lets answers out that no guard has seen: "
        "GET,POST /responses/*/**"
    ]


@each_row("rule", ["/**", "/v1/**"])
def test_opening_everything_names_everything_known(folder: Folder, rule: str) -> None:
    folder.write("acme.yaml", f"passthrough: [{rule}]\n{TENANT}")

    [warning] = folder.warnings()

    for endpoint in ("/batches/**", "/responses/*/**", "/realtime/**", "/threads/*/runs/**"):
        assert endpoint in warning


@each_row("handling, rules, warned", "masked_questions_beside_an_open_door_are_pointed_out")
def test_masked_questions_beside_an_open_door_are_pointed_out(
    folder: Folder, handling: str, rules: str, warned: bool
) -> None:
    tenant = TENANT.replace("input: off", f"input: {handling}")
    folder.write("acme.yaml", f"passthrough: {rules}\n{tenant}")

    expected = (
        "acme.yaml:9:44: guards.personal_data.options.input: holds for guarded endpoints; what "
        "`passthrough` hands on goes out as it is"
    )
    assert folder.warnings() == ([expected] if warned else [])


def test_every_default_rule_can_be_read() -> None:
    assert Policy().passthrough == WITHOUT_ANSWERS
    assert all(read_rule(rule).methods for rule in WITHOUT_ANSWERS)
