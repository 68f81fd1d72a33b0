import pytest

from policies.schema.passing import WITHOUT_ANSWERS, open_methods, read_rule
from policies.schema.policy import Policy
from tests.policies.conftest import Folder

ALL = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
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

OPENED = [
    pytest.param("/files", "files", ALL, id="every-method"),
    pytest.param("GET /files", "files", {"GET", "HEAD"}, id="get-and-head"),
    pytest.param("POST /files", "files", {"POST"}, id="one-method"),
    pytest.param("PUT,DELETE /files", "files", {"PUT", "DELETE"}, id="two-methods"),
    pytest.param("PUT, DELETE  /files", "files", {"PUT", "DELETE"}, id="spaces-between"),
    pytest.param("POST /v1/files", "files", {"POST"}, id="with-the-version"),
    pytest.param("/v1/models", "models", ALL, id="the-version-alone-with-its-methods"),
    pytest.param("GET /v1/models/**", "models/m", {"GET", "HEAD"}, id="below-the-version"),
    pytest.param("POST /files/*", "files/f", {"POST"}, id="one-segment"),
    pytest.param("POST /files/*/content", "files/f/content", {"POST"}, id="segment-in-between"),
    pytest.param("POST /files/**", "files", {"POST"}, id="no-segment-of-any"),
    pytest.param("POST /files/**", "files/a/b/c", {"POST"}, id="many-segments-of-any"),
    pytest.param("POST /**", "anything/at/all", {"POST"}, id="everything"),
    pytest.param("POST /v1/**", "anything", {"POST"}, id="everything-with-the-version"),
    pytest.param("POST /모델", "모델", {"POST"}, id="korean"),
    pytest.param("/files", "files/f", set(), id="too-long"),
    pytest.param("/files/*", "files", set(), id="too-short"),
    pytest.param("/files/*", "files/a/b", set(), id="one-is-not-two"),
    pytest.param("/files/*/**", "files", set(), id="at-least-one"),
    pytest.param("/files", "Files", set(), id="case-counts"),
    pytest.param("/files/**", "filesystem", set(), id="whole-segments-only"),
]


@pytest.mark.parametrize(("rule", "path", "methods"), OPENED)
def test_a_rule_opens(rule: str, path: str, methods: set[str]) -> None:
    assert open_methods([rule], tuple(path.split("/"))) == methods


def test_rules_add_up() -> None:
    rules = ["GET /files/**", "POST /files", "DELETE /files/*"]

    assert open_methods(rules, ("files",)) == {"GET", "HEAD", "POST"}
    assert open_methods(rules, ("files", "f")) == {"GET", "HEAD", "DELETE"}
    assert open_methods([], ("files",)) == set()


MEETING = [
    ("/**", "POST /batches", True),
    ("GET /**", "POST /batches", False),
    ("/batches", "/batches/**", True),
    ("/batches/*", "/batches/**", True),
    ("/*/b", "/a/*", True),
    ("/*", "/a/b", False),
    ("/a/**", "/b/**", False),
    ("/a/b/c", "/a/b", False),
]


@pytest.mark.parametrize(("one", "other", "meet"), MEETING)
def test_two_rules_meet_where_a_request_fits_both(one: str, other: str, meet: bool) -> None:
    assert read_rule(one).meets(read_rule(other)) is meet
    assert read_rule(other).meets(read_rule(one)) is meet


WRONG = [
    ("files", "must be a path that begins with '/', after its methods if it has some"),
    ("GET files", "must be a path that begins with '/', after its methods if it has some"),
    (
        "FETCH /files",
        "names the method 'FETCH'; known here: GET, POST, PUT, PATCH, DELETE",
    ),
    ("get /files", "names the method 'get'; known here: GET, POST, PUT, PATCH, DELETE"),
    ("/", "has the segment ''; '*' stands for one whole segment, '**' for the end"),
    ("/files/", "has the segment ''; '*' stands for one whole segment, '**' for the end"),
    ("/files/f*", "has the segment 'f*'; '*' stands for one whole segment, '**' for the end"),
    ("/**/f", "has the segment '**'; '*' stands for one whole segment, '**' for the end"),
    ("/a/../b", "has the segment '..'; '*' stands for one whole segment, '**' for the end"),
    ("/a%2Fb", "has the segment 'a%2Fb'; '*' stands for one whole segment, '**' for the end"),
    ("/" + "a" * 200, "is longer than 200 characters"),
    ("POST /responses", "ends in 'responses', which is guarded and never handed through"),
    ("/chat/completions", "ends in 'completions', which is guarded and never handed through"),
    ("/openai/v1/models", "names the way to this proxy; only what follows '/v1' is compared"),
    ("GET /t/acme/v1/models", "names the way to this proxy; only what follows '/v1' is compared"),
    ("/v1", "names the way to this proxy; only what follows '/v1' is compared"),
    (
        "POST /Responses.json",
        "ends in 'Responses.json', which is guarded and never handed through",
    ),
    ("/v1/verify", "ends in 'verify', which is guarded and never handed through"),
]


@pytest.mark.parametrize(("rule", "said"), WRONG)
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


@pytest.mark.parametrize("rule", ["/**", "/v1/**"])
def test_opening_everything_names_everything_known(folder: Folder, rule: str) -> None:
    folder.write("acme.yaml", f"passthrough: [{rule}]\n{TENANT}")

    [warning] = folder.warnings()

    for endpoint in ("/batches/**", "/responses/*/**", "/realtime/**", "/threads/*/runs/**"):
        assert endpoint in warning


@pytest.mark.parametrize(
    ("handling", "rules", "warned"),
    [
        ("mask", "[POST /embeddings]", True),
        ("block", "[POST /embeddings]", True),
        ("mask", "[GET /models/**]", False),
        ("off", "[POST /embeddings]", False),
    ],
)
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
