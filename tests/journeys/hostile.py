"""Everything in a user's git that could make a program stumble: settings, hooks, names, environment."""

from __future__ import annotations

import os
from pathlib import Path

from house import House

HOOKS = [
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "fsmonitor-watchman",
    "post-index-change",
    "p4-pre-submit",
    "sendemail-validate",
]

SETTINGS = {
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "user.signingKey": "nobody",
    "log.showSignature": "true",
    "core.quotePath": "true",
    "core.untrackedCache": "true",
    "core.fsmonitor": "/bin/false",
    "core.splitIndex": "true",
    "core.pager": "/bin/false",
    "core.editor": "/bin/false",
    "core.abbrev": "4",
    "core.autocrlf": "input",
    "core.safecrlf": "true",
    "color.ui": "always",
    "color.diff": "always",
    "column.ui": "always",
    "status.showUntrackedFiles": "no",
    "status.short": "true",
    "status.branch": "true",
    "diff.external": "/bin/false",
    "diff.noprefix": "true",
    "diff.orderFile": "scripts/git.orderfile",
    "diff.renames": "copies",
    "diff.ignoreSubmodules": "all",
    "fetch.prune": "true",
    "fetch.pruneTags": "true",
    "fetch.fsckObjects": "true",
    "fetch.recurseSubmodules": "true",
    "submodule.recurse": "true",
    "alias.status": "!false",
    "alias.merge": "!false",
    "alias.st": "status",
    "init.defaultBranch": "trunk",
    "merge.ff": "false",
    "merge.conflictStyle": "zdiff3",
    "merge.renames": "false",
    "merge.autoStash": "true",
    "merge.log": "true",
    "merge.verifySignatures": "true",
    "rerere.enabled": "true",
    "rerere.autoUpdate": "true",
    "pull.rebase": "true",
    "rebase.autoStash": "true",
    "branch.main.mergeOptions": "--no-ff --squash -s ours",
    "grep.lineNumber": "true",
    "log.date": "relative",
    "log.decorate": "full",
    "format.pretty": "oneline",
    "advice.detachedHead": "true",
    "safe.bareRepository": "explicit",
    "user.useConfigOnly": "true",
    "include.path": "~/not/there",
    "gc.auto": "1",
    "maintenance.auto": "true",
    "checkout.guess": "true",
    "checkout.defaultRemote": "nowhere",
    "worktree.guessRemote": "true",
    "push.default": "nothing",
    "transfer.hideRefs": "refs/toryo",
}

ODD_NAMES = (
    b'quote"d.txt',
    b"new\nline.txt",
    b"-dash.txt",
    b"--",
    b" space ",
    b"tab\there",
    b"back\\slash",
    "caf\u00e9.txt".encode(),
    "cafe\u0301.txt".encode(),
    "日本語/名前.txt".encode(),
    b"latin-\xe9.txt",
    b"Case.txt",
    b"case.txt",
    b"CASE.TXT",
    b":(top)magic",
    b"*.star",
    b"!bang",
    b"#hash",
    b"deep/-d/--help",
    b"aux/con.txt",
)
"""Of files: every one of them may stand in a repository."""

BYPASS = "SIGN=yes git -c core.hooksPath=/dev/null -c user.name=A -c user.email=a@localhost"
"""How an agent commits where the user's own hooks and signing forbid it: what it does is its own affair."""

GPG = """#!/bin/sh
[ "$SIGN" ] || { echo noise; echo noise >&2; exit 1; }
cat > /dev/null
echo '[GNUPG:] SIG_CREATED ' >&2
printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nnoise\\n-----END PGP SIGNATURE-----\\n'
"""
"""Signs for who asks it to, and fails with noise when a signature is made or looked at otherwise."""


def make_hostile(house: House) -> Path:
    """Settings in the user's home, hooks in the repository and in the template; the file where hooks tell."""
    home = Path(house.env["HOME"])
    ran = house.root / "hooks that ran"
    text = "".join(_setting(key, value) for key, value in SETTINGS.items())
    template = home / "template" / "hooks"
    text += _setting("init.templateDir", str(template.parent)) + _setting("gpg.program", str(home / "gpg"))
    (home / ".gitconfig").write_text(text)
    (home / "gpg").write_text(GPG)
    (home / "gpg").chmod(0o755)
    for folder in (template, house.repo / ".git" / "hooks"):
        folder.mkdir(parents=True, exist_ok=True)
        for name in HOOKS:
            hook = folder / name
            hook.write_text(f"#!/bin/sh\necho noise\necho noise >&2\necho {name} >> '{ran}'\nexit 1\n")
            hook.chmod(0o755)
    nowhere = str(house.root / "nowhere")
    astray = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
    house.env |= dict.fromkeys(astray, nowhere) | {
        "GIT_NAMESPACE": "astray",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_CEILING_DIRECTORIES": str(house.root),
    }
    return ran


def _setting(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    head, _, sub = section.partition(".")
    shown = f'{head} "{sub}"' if sub else head
    return f'[{shown}]\n\t{name} = "{value}"\n'


def write_odd(folder: Path, content: bytes = b"odd\n") -> None:
    for name in ODD_NAMES:
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
