"""What a page knows of its request, and the addresses that it makes."""

import pytest

from proxy.auth import Viewer
from proxy.dashboard.languages import Language
from proxy.dashboard.page import Assets, PageVisit, Renderer

RENDERER = Renderer(Assets())
ADMIN = Viewer(None)


def visit(
    path: str = "/dashboard/traces", viewer: Viewer | None = ADMIN, **query: str
) -> PageVisit:
    return PageVisit(
        viewer=viewer,
        tenant=query.get("tenant"),
        language=Language.ENGLISH,
        query=query,
        path=path,
        is_fragment=False,
        renderer=RENDERER,
    )


def test_this_page_changes_some_of_its_query() -> None:
    page = visit(action="trim", tenant="app")
    assert page.here() == "/dashboard/traces?action=trim&tenant=app"
    assert page.here(action="fix") == "/dashboard/traces?action=fix&tenant=app"
    assert page.here(action=None, tenant=None) == "/dashboard/traces"
    assert page.here(text="a&b=c #?") == (
        "/dashboard/traces?action=trim&tenant=app&text=a%26b%3Dc+%23%3F"
    )


def test_another_page_is_about_the_tenant_that_the_admin_looks_at() -> None:
    page = visit(action="trim", tenant="app")
    assert page.page_of("/dashboard") == "/dashboard?tenant=app"
    assert page.page_of("/dashboard", span="1h") == "/dashboard?tenant=app&span=1h"
    assert visit(viewer=Viewer("app"), tenant="app").page_of("/dashboard") == "/dashboard"


@pytest.mark.parametrize(
    ("path", "entry", "stands"),
    [
        ("/dashboard", "/dashboard", True),
        ("/dashboard/traces", "/dashboard", False),
        ("/dashboard/traces", "/dashboard/traces", True),
        ("/dashboard/traces/3f2a", "/dashboard/traces", True),
        ("/dashboard/tracesuit", "/dashboard/traces", False),
    ],
)
def test_knows_the_entry_of_the_navigation_that_it_belongs_to(
    path: str, entry: str, stands: bool
) -> None:
    assert visit(path).stands_at(entry) is stands


@pytest.mark.parametrize(
    ("viewer", "reads"), [(ADMIN, True), (Viewer("app"), True), (Viewer("x"), False), (None, False)]
)
def test_knows_whose_traces_may_be_read(viewer: Viewer | None, reads: bool) -> None:
    assert visit(viewer=viewer).may_read("app") is reads
