"""Who may speak to the page: host, origin, token, cookie, and the headers that keep a browser from harm."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from page_client import PageClient
from websockets.exceptions import InvalidStatus

from journeys.house import House

POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
EVERYWHERE = ("/", "/api/tasks", "/openapi.json", "/nothing/here", "/assets/none.js", "/api/nothing")


# ── host ──


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST", "localhost:9", "127.0.0.1:65535"]
)
def test_the_page_answers_by_its_own_names_with_any_port(page: PageClient, host: str) -> None:
    assert page.ask("GET", "/api/tasks", {**page.bearer, "Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.2", "", "0.0.0.0", "[::2]",
     "localhost:", "localhost:1x", "localhost@evil.example", "evil.example:7117", "127.0.0.1:7117,x.example"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/api/tasks", "/"])
def test_another_host_is_refused_whatever_it_knows(page: PageClient, host: str, path: str) -> None:
    answer = page.ask("GET", path, {**page.bearer, "Host": host})
    assert answer.status in (400, 403), answer.text
    assert "Toryo</h1>" not in answer.text


def test_a_socket_of_another_host_is_refused(page: PageClient) -> None:
    for host in ("evil.example", page.host):
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        asked = {**page.bearer, **upgrade, "Host": host, "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw=="}
        status = page.ask_upgrade("/api/events", asked)
        assert status == (101 if host == page.host else 403)


def test_two_hosts_are_none(page: PageClient) -> None:
    with pytest.raises(InvalidStatus) as refused:
        page.channel(headers={**page.bearer, "Host": page.host})
    assert refused.value.response.status_code in (400, 403)


# ── origin ──


ORIGINS = (
    "http://evil.example",
    "null",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",
    "http://127.0.0.1",
    "",
)


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("by", ["cookie", "bearer"])
def test_a_change_from_another_origin_is_refused(
    house: House, page: PageClient, origin: str, by: str
) -> None:
    known = page.cookie() if by == "cookie" else page.bearer
    given = {**known, "Origin": origin.format(port=page.port)}
    assert page.ask("POST", "/api/tasks", given, {"title": "forged"}).status == 403
    assert "forged" not in house.ok("task", "list", "--json")


def test_a_change_by_cookie_needs_the_origin_that_browsers_send(house: House, page: PageClient) -> None:
    assert page.ask("POST", "/api/tasks", page.cookie(), {"title": "no origin"}).status == 403
    own = {**page.cookie(), "Origin": page.origin}
    made = page.ask("POST", "/api/tasks", own, {"title": "by cookie", "held": True})
    assert made.status == 200
    assert house.task(made.json()["id"])["title"] == "by cookie"


def test_a_change_by_bearer_needs_no_origin(page: PageClient) -> None:
    assert page.ask("POST", "/api/tasks", page.bearer, {"title": "by bearer", "held": True}).status == 200


def test_a_change_through_a_tunnel_has_the_tunnels_port_in_both(page: PageClient) -> None:
    through = {**page.cookie(), "Host": "localhost:9000", "Origin": "http://localhost:9000"}
    assert page.ask("POST", "/api/tasks", through, {"title": "tunnel", "held": True}).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", None])
def test_a_socket_by_cookie_needs_its_own_origin(page: PageClient, origin: str | None) -> None:
    given = page.cookie() if origin is None else {**page.cookie(), "Origin": origin}
    with pytest.raises(InvalidStatus) as refused:
        page.channel(headers=given)
    assert refused.value.response.status_code == 403


def test_a_socket_of_the_page_itself_is_let_in(page: PageClient) -> None:
    with page.channel(headers={**page.cookie(), "Origin": page.origin}) as channel:
        assert channel.recv(timeout=30)


def test_no_other_origin_may_read(page: PageClient) -> None:
    asked = {**page.bearer, "Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("GET", "OPTIONS"):
        answer = page.ask(method, "/api/tasks", asked)
        assert not [name for name in answer.headers if name.startswith("access-control")]


# ── token and cookie ──


def test_the_token_in_the_address_is_swapped_for_a_cookie_and_taken_out(page: PageClient) -> None:
    answer = page.ask("GET", f"/?token={page.token}")
    assert (answer.status, answer.headers["location"], answer.body) == (303, "/", b"")
    cookie, *flags = [part.strip() for part in answer.headers["set-cookie"].split(";")]
    assert set(flags) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    name, _, value = cookie.partition("=")
    assert re.fullmatch(r"toryo_[0-9a-f]{16}", name)
    assert page.token not in value
    assert "<div id=" in page.ask("GET", "/", {"Cookie": f"other=1; {cookie}"}).text


def test_where_another_page_led_here_the_page_itself_goes_on(page: PageClient) -> None:
    """A strict cookie is not sent along a redirect that another site began."""
    answer = page.ask("GET", f"/?token={page.token}", {"Sec-Fetch-Site": "cross-site"})
    assert answer.status == 200
    assert "url=/'" in answer.text
    assert page.token not in answer.text
    assert "set-cookie" in answer.headers


def test_the_name_of_the_cookie_is_the_installations(page: PageClient) -> None:
    (name, value) = page.cookie()["Cookie"].split("=")
    assert page.ask("GET", "/api/tasks", {"Cookie": f"toryo_{'0' * 16}={value}"}).status == 401
    assert page.ask("GET", "/api/tasks", {"Cookie": f"{name}={'0' * len(value)}"}).status == 401
    assert page.ask("GET", "/api/tasks", {"Cookie": f"{name}="}).status == 401


@pytest.mark.parametrize("path", EVERYWHERE[1:])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS"])
def test_without_the_token_every_path_is_closed(page: PageClient, path: str, method: str) -> None:
    answer = page.ask(method, path, {"Origin": page.origin})
    assert answer.status == 401
    if method != "HEAD":
        assert set(answer.json()) == {"error", "hint"}


@pytest.mark.parametrize("path", ["/api/tasks?token={}", "/index.html?token={}", "/?x={}"])
def test_the_token_in_another_address_opens_nothing(page: PageClient, path: str) -> None:
    answer = page.ask("GET", path.format(page.token))
    assert "set-cookie" not in answer.headers
    assert answer.status == 401 or "needs its token" in answer.text


def test_a_socket_without_a_token_is_refused(page: PageClient) -> None:
    with pytest.raises(InvalidStatus) as refused:
        page.channel(headers={"Origin": page.origin})
    assert refused.value.response.status_code == 401


def test_without_a_token_the_front_page_says_so(page: PageClient) -> None:
    answer = page.ask("GET", "/")
    assert answer.status == 200
    assert "This page needs its token" in answer.text
    assert "<div id=" not in answer.text
    wrong = page.ask("GET", "/?token=<script>alert(1)</script>")
    assert (wrong.status, "<script>" in wrong.text) == (401, False)
    assert "set-cookie" not in wrong.headers


@pytest.mark.parametrize("given", ["", "{}x", "x{}", "{} {}", "é"])
@pytest.mark.parametrize("scheme", ["Bearer", "Basic"])
def test_only_the_whole_token_opens(page: PageClient, given: str, scheme: str) -> None:
    said = given.format(page.token, page.token)
    assert page.ask("GET", "/api/tasks", {"Authorization": f"{scheme} {said}"}).status == 401


def test_a_wrong_bearer_is_not_helped_by_a_right_cookie(page: PageClient) -> None:
    assert page.ask("GET", "/api/tasks", {**page.cookie(), "Authorization": "Bearer wrong"}).status == 401


def test_keys_of_the_installation_and_of_its_runs_open_nothing(house: House, page: PageClient) -> None:
    token = house.root / "token"
    script = 'cat "$TORYO_RUN_FILE" > ' + f"{token}.new; mv {token}.new {token}\n"
    house.agent(script, "connected", access="connected")
    task = house.add("tell the token", "--agent", "connected")
    house.rest(task)
    credentials = re.findall(r"[A-Za-z0-9_.:-]{20,}", token.read_text())
    assert credentials
    for one in [*credentials, (house.home / "operator.key").read_text().strip()]:
        assert page.ask("GET", "/api/tasks", {"Authorization": f"Bearer {one}"}).status == 401
        assert page.ask("GET", f"/?token={one}").status in (400, 401)


def test_tokens_are_compared_in_constant_time(page: PageClient) -> None:
    """Time itself cannot be measured here: the one comparison there is must be the library's."""
    from toryo.fronts.web import access

    assert "compare_digest" in access.is_same.__code__.co_names
    text = Path(access.__file__).read_text()
    assert not re.findall(r"(?:[!=]= self\._(?:token|cookie)\b)|(?:self\._(?:token|cookie) [!=]=)", text)


# ── headers, files ──


@pytest.mark.parametrize("path", [*EVERYWHERE, "/?token=wrong"])
@pytest.mark.parametrize("is_known", [True, False])
def test_every_answer_has_the_headers_that_keep_a_browser_from_harm(
    page: PageClient, path: str, is_known: bool
) -> None:
    headers = page.ask("GET", path, page.bearer if is_known else {}).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] in ("no-store", "no-cache")
    assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/assets/../../server.py", "/%2e%2e/server.py", "/assets/%2e%2e/%2e%2e/server.py",
     "//etc/passwd", "/..%2f..%2fserver.py", "/assets/..\\..\\server.py", "/%00", "/static/index.html"],
)  # fmt: skip
def test_no_address_leads_out_of_the_built_files(page: PageClient, path: str) -> None:
    answer = page.ask("GET", path, page.bearer)
    assert answer.status in (400, 404) or "<div id=" in answer.text
    assert "def run_web" not in answer.text
    assert "root:" not in answer.text


def test_text_of_agents_is_never_html(house: House, page: PageClient) -> None:
    house.agent("echo '<script>alert(1)</script>'\nexit 3\n", "html")
    task = house.add("<img src=x onerror=alert(1)>", "--agent", "html")
    house.rest(task)
    for path in (f"/api/logs/{task}", f"/api/tasks/{task}", "/api/tasks"):
        answer = page.ask("GET", path, page.bearer)
        assert answer.headers["content-type"] == "application/json"


def test_the_token_is_in_no_argument_list_and_no_log(house: House, page: PageClient) -> None:
    assert ((house.home / "web.token").stat().st_mode & 0o777, page.ask("GET", "/").status) == (0o600, 200)
    for log in (house.home / "logs").iterdir():
        assert page.token not in log.read_text(errors="replace"), log
    if sys.platform == "linux":
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                assert page.token.encode() not in entry.read_bytes()
            except OSError:
                continue
