"""The rules of a repository reach every client, each text once (S3-49)."""

from __future__ import annotations

from pathlib import Path

import pytest
from contexts_made import make_worktree, prepare, telling

from repositories import commit_files, git
from toryo.workbench.contexts import rules
from toryo.workbench.contexts.preparing import Context
from toryo.workbench.contexts.texts import imports_in, without_imports

CLIENTS = ("claude", "gemini", "codex", "opencode", "command", "scripted")
A, C, G = "Write tests first.\n", "Use four blanks.\n", "Speak softly.\n"
ALL = {"AGENTS.md": A, "CLAUDE.md": C, "GEMINI.md": G}


def told(worktree: Path, client: str) -> str:
    """What we give the client besides what it reads itself."""
    context = prepare(worktree, client, profile=telling(""))
    return text_of(context, client)


def text_of(context: Context, client: str) -> str:
    if context.directory is None:
        return context.added
    name = {"claude": ".claude/CLAUDE.md", "gemini": "GEMINI.md"}[client]
    return (context.directory / name).read_text() + context.added


def missed(worktree: Path, client: str) -> list[str]:
    text = told(worktree, client)
    assert all(text.count(rule.strip()) <= 1 for rule in (A, C, G))
    return [name for name, rule in ALL.items() if rule.strip() in text]


@pytest.mark.parametrize(
    ("client", "added"),
    [
        ("claude", ["AGENTS.md", "GEMINI.md"]),
        ("gemini", ["AGENTS.md", "CLAUDE.md"]),
        ("codex", ["CLAUDE.md", "GEMINI.md"]),
        ("opencode", ["CLAUDE.md", "GEMINI.md"]),
        ("command", ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]),
        ("scripted", ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]),
    ],
)
def test_a_client_is_given_the_rule_files_that_it_does_not_load_itself(tmp_path, client, added):
    worktree = make_worktree(tmp_path, ALL)
    assert missed(worktree, client) == added
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""


@pytest.mark.parametrize("only", ALL)
def test_one_rule_file_reaches_every_client(tmp_path, only):
    worktree = make_worktree(tmp_path, {only: ALL[only]})
    native = {
        "CLAUDE.md": {"claude", "opencode"},
        "AGENTS.md": {"claude", "codex", "opencode"},
        "GEMINI.md": {"gemini"},
    }[only]
    assert {client for client in CLIENTS if missed(worktree, client) == []} == native


def test_without_rule_files_nothing_is_added(tmp_path):
    worktree = make_worktree(tmp_path)
    assert [told(worktree, client) for client in ("codex", "command")] == ["", ""]
    assert "Rules of this repository" not in told(worktree, "claude")


def test_the_same_text_under_two_names_is_one_text(tmp_path):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A, "CLAUDE.md": f"\n{A}\n", "GEMINI.md": A})
    assert [missed(worktree, client) for client in CLIENTS[:4]] == [[], [], [], []]
    assert missed(worktree, "command") == ["AGENTS.md"]


def test_a_link_to_the_other_file_is_no_second_text(tmp_path):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A})
    (worktree / "CLAUDE.md").symlink_to("AGENTS.md")
    git(worktree, "add", "-A")
    assert [missed(worktree, client) for client in ("claude", "codex", "opencode")] == [[], [], []]
    assert missed(worktree, "gemini") == ["AGENTS.md"]


@pytest.mark.parametrize(
    "pointer", ["@AGENTS.md\n", "# Claude\n\n<!-- x -->\n@./AGENTS.md\n", "See AGENTS.md.\n"]
)
def test_a_file_that_only_points_to_the_other_is_not_added(tmp_path, pointer):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A, "CLAUDE.md": pointer})
    followed = "@" in pointer  # Claude Code starts in the worktree and follows its imports itself
    for client, added in {"claude": [] if followed else [A], "codex": [], "gemini": [A]}.items():
        text = told(worktree, client)
        assert [rule for rule in (A,) if rule.strip() in text] == added, client
        assert "From `CLAUDE.md`" not in text, client


def test_a_short_rule_beside_a_pointer_is_not_lost(tmp_path):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A, "CLAUDE.md": "See AGENTS.md. Never push.\n"})
    assert "Never push." in told(worktree, "codex")


def test_what_gemini_imports_itself_is_not_added(tmp_path):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A, "GEMINI.md": f"{G}@./AGENTS.md\n"})
    assert missed(worktree, "gemini") == []


def test_imports_reach_whoever_does_not_follow_them(tmp_path):
    """Claude Code, which starts in the worktree, does."""
    files = {"CLAUDE.md": f"{C}\nAnd @docs/style.md, please.\n", "docs/style.md": "No tabs.\n@more.md\n"}
    worktree = make_worktree(tmp_path, {**files, "docs/more.md": "No trailing blanks.\n"})
    assert prepare(worktree, "claude").carried == ()
    assert "No tabs." not in told(worktree, "claude")
    for client in ("gemini", "codex"):
        text = told(worktree, client)
        assert (text.count("No tabs."), text.count("No trailing blanks.")) == (1, 1), client


def test_an_import_leads_to_no_file_outside_the_worktree(tmp_path):
    (tmp_path / "secret.md").write_text("SECRET\n")
    lines = [
        f"@{tmp_path}/secret.md",
        "@../../../secret.md",
        "@~/secret.md",
        "@link.md",
        "@.git",
        "`@docs/a.md`",
    ]
    worktree = make_worktree(tmp_path, {"CLAUDE.md": C + "\n".join(lines) + "\n", "docs/a.md": "IN CODE\n"})
    (worktree / "link.md").symlink_to(tmp_path / "secret.md")
    for client in CLIENTS:
        text = told(worktree, client)
        assert ("SECRET" in text, "IN CODE" in text, "gitdir" in text) == (False, False, False)


def test_a_rule_file_that_is_not_tracked_or_excluded_is_not_read(tmp_path):
    worktree = make_worktree(tmp_path, {"AGENTS.md": A, "CLAUDE.md": C, "x": "1"})
    (worktree / "GEMINI.md").write_text(G)
    git(worktree, "config", "extensions.worktreeConfig", "true")
    git(worktree, "sparse-checkout", "set", "--no-cone", "/*", "!/CLAUDE.md")
    assert not (worktree / "CLAUDE.md").exists()
    assert missed(worktree, "command") == ["AGENTS.md"]
    (worktree / "CLAUDE.md").write_text("made by the agent\n")
    assert missed(worktree, "command") == ["AGENTS.md"]


def test_a_long_text_is_cut_at_a_line_and_says_so(tmp_path):
    line = "Rule number of many.\n"
    worktree = make_worktree(
        tmp_path, {name: name + line * 3000 for name in ALL} | {"docs/last.md": "LAST\n"}
    )
    commit_files(worktree, {"GEMINI.md": "@docs/last.md\n" + "x" * 30_000})
    text = told(worktree, "command")
    assert len(text) < rules.MOST_RULES + 1500
    assert text.count("[Cut here: the text is too long. The rest is in `AGENTS.md`.]") == 1
    assert text.split("\n\n[Cut here")[0].endswith(line.strip())
    assert all(f"`{name}`.]" in text for name in ALL)


@pytest.mark.parametrize("content", [b"\0binary", b"   \n", b""])
def test_what_is_no_text_is_no_rule(tmp_path, content):
    worktree = make_worktree(tmp_path)
    (worktree / "AGENTS.md").write_bytes(content)
    git(worktree, "add", "-A")
    assert told(worktree, "command") == ""


def test_bytes_that_are_not_utf_8_do_not_stop_a_start(tmp_path):
    worktree = make_worktree(tmp_path)
    (worktree / "AGENTS.md").write_bytes(b"\xef\xbb\xbfWrite \xe9 tests.\n")
    git(worktree, "add", "-A")
    assert "Write \ufffd tests." in told(worktree, "command")
    assert "\ufeff" not in told(worktree, "command")


def test_a_tracked_claude_md_is_never_overwritten(tmp_path):
    """C-22."""
    worktree = make_worktree(
        tmp_path, {"CLAUDE.md": C, ".claude/CLAUDE.md": "theirs\n", ".claude/settings.json": "{}"}
    )
    prepare(worktree, "claude")
    prepare(worktree, "gemini")
    assert git(worktree, "status", "--short", "--untracked-files=all") == ""
    assert (worktree / "CLAUDE.md").read_text() == C


def test_words_with_an_at_sign_survive_in_gemini_md(tmp_path):
    """Gemini CLI replaces ` @word` in its files by a file or an error, but not in code."""
    prompt = "Ask @alice or bob@example.com; `@kept` and\n```\n@decorator\n```\nread @docs/a.md."
    worktree = make_worktree(tmp_path)
    text = text_of(prepare(worktree, "gemini", profile=telling(prompt)), "gemini")
    assert "Ask `@alice` or bob@example.com; `@kept` and\n```\n@decorator\n```\nread `@docs/a.md.`" in text
    assert prompt in text_of(prepare(worktree, "claude", profile=telling(prompt)), "claude")


def test_imports_are_words_that_begin_with_an_at_sign_outside_of_code():
    assert imports_in("@a.md b@c.md\n @./d (@e) @1 `@f`\n```\n@g\n```\n@h") == ("a.md", "./d", "h")
    assert without_imports("x @a`b y") == "x ``@a`b`` y"
