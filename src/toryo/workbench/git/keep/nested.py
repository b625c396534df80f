"""Nested repositories of a worktree, clones and filled submodules: each is kept as one commit of the
project's repository, with its refs and files, and made anew from it. The repository itself is only read.

Finding them and the rest of the worktree are left to snapshots.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import ToryoError
from toryo.processes import TimeLimit
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.inspect.private_index import GITLINK, PrivateIndex
from toryo.workbench.git.keep import fingerprint, snapshot_ignored

DEEPEST = 5
"""Repositories inside repositories inside …"""

OPENING = "Toryo kept the repository "
_WHOLE = (("core.sparseCheckout", "false"), ("core.bare", "false"))
_SETTINGS = r"^(remote\..*\.(url|pushurl|fetch)|branch\..*\.(remote|merge)|submodule\..*\.(url|active))$"
_STASH = "refs/stash"
_PSEUDO = ("ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "FETCH_HEAD")


class NotKept(ToryoError):
    """A repository inside a worktree could not be kept."""

    way_out = "The worktree is kept instead: take out of it what you need, then remove it."


@dataclass(frozen=True)
class _Inner:
    top: Path
    git_dir: Path
    common: Path
    hub: Path
    refs: Mapping[str, str]

    @property
    def head(self) -> str:
        """HEAD as its file says it."""
        return layout.read(self.git_dir / "HEAD")

    @property
    def commit(self) -> str:
        name = layout.symbolic_head(self.git_dir)
        if not name:
            return self.head if layout.is_id(self.head) else ""
        if self.common == self.hub:
            return layout.git_on(self.hub).commit_of(name) or ""
        return self.refs.get(name, "")

    def git(self, index: Path | str) -> Git:
        """The project's git over these files: settings that an agent wrote in there do not hold."""
        objects = str(self.common / "objects").replace("\\", "\\\\").replace('"', '\\"')
        env = {"GIT_DIR": str(self.hub), "GIT_WORK_TREE": str(self.top), "GIT_INDEX_FILE": str(index)}
        return Git(self.top, {**env, "GIT_ALTERNATE_OBJECT_DIRECTORIES": f'"{objects}"'})


def keep(hub: Path, top: Path, ref: str, depth: int = 1) -> str:
    """The commit in the repository `hub` that holds the one at `top`, pinned as `ref`."""
    inner = _look(hub, top)
    if depth > DEEPEST:
        raise NotKept(f"it lies {depth} repositories deep")
    size = snapshot_ignored.size_below(inner.common / "objects") if inner.common != hub else 0
    if size > snapshot_ignored.LARGEST_SNAPSHOT:
        raise NotKept(f"its history has {size // 1_000_000} MB")
    try:
        with tempfile.TemporaryDirectory(prefix="toryo-nested-") as folder:
            made = _commit(inner, Path(folder) / "index", ref, depth)
        _bring(inner.git("/dev/null"), layout.git_on(hub), [made, *_tags(inner)], _known(hub))
    except (GitFailed, TimeLimit, OSError) as failed:
        # a shallow or partial clone, above all: its history has an end that only it knows of
        raise NotKept(str(failed)[:500]) from failed
    for number, tag in enumerate(_tags(inner), 1):
        layout.git_on(hub).run(
            "update-ref", f"{ref}-tag-{number}", tag
        )  # no commit reaches a tag's own words
    if not layout.git_on(hub).move_ref(ref, made, ZERO, "toryo: snapshot"):
        layout.git_on(hub).do("update-ref", ref, made)
    return made


def make_all(hub: Path, commit: str, top: Path) -> None:
    """The repositories that this snapshot's tree names, each at its path below `top`."""
    for line in layout.git_on(hub).do("ls-tree", "-r", "-z", "--full-tree", commit).split("\0"):
        if not line.startswith(GITLINK):
            continue
        about, path = line.split("\t", 1)
        kept = about.split(" ")[2]
        words = _message(hub, kept)
        if words:
            _make(hub, kept, words, top / path)


def _look(hub: Path, top: Path) -> _Inner:
    git_dir = layout.git_dir_of(top)
    if git_dir is None:
        raise NotKept("its git directory is not there")
    shared = layout.read(git_dir / "commondir")
    common = (git_dir / shared).resolve() if shared else git_dir
    refs = {} if common == hub.resolve() else fingerprint.read_refs(common)
    ids = {name: at for name, at in refs.items() if layout.is_id(at)}
    return _Inner(top, git_dir, hub if common == hub.resolve() else common, hub, ids)


def _commit(inner: _Inner, private: Path, ref: str, depth: int) -> str:
    if (inner.git_dir / "index").is_file():
        shutil.copy2(inner.git_dir / "index", private)
    index = PrivateIndex(inner.git(private), private)
    parents, head = [], inner.commit
    words = [f"HEAD {inner.head}", *_settings(inner)]
    staged = index.git.run("write-tree", config=_WHOLE)
    if staged.code == 0:
        above = ["-p", head] if head else []
        kept = index.git.do("commit-tree", staged.text.strip(), *above, "-m", "Index")
        words.append(f"index {kept}")
        parents.append(kept)
    _fill(index, inner, ref, depth)
    named = _named(inner)
    refs = dict(inner.refs)
    if inner.common == inner.hub and head and (branch := layout.symbolic_head(inner.git_dir)):
        refs[branch] = head  # a worktree of the project itself: its other refs are the project's
    refs.pop(_STASH, None)
    words += [f"ref {at} {name}" for name, at in refs.items()]
    words += [f"stash {at}" for at in _stashes(inner)]
    parents += [head, *_independent(index.git, named)]
    above = [word for parent in dict.fromkeys(parents) if parent for word in ("-p", parent)]
    message = "\n".join([f"{OPENING}{layout.shown(inner.top.name)}", "", *words, ""])
    said = message.encode("utf-8", "surrogateescape")
    return index.git.do("commit-tree", index.tree(), *above, stdin=said)


def _fill(index: PrivateIndex, inner: _Inner, ref: str, depth: int) -> None:
    listed = index.git.do("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    passed = index.git.do("ls-files", "-o", "-i", "--exclude-standard", "--directory", "-z").split("\0")
    ignored = [path for path in passed if path]
    inside = [path.rstrip("/") for path in listed if path.endswith("/")]
    inside += [path for path in index.gitlinks() if (inner.top / path / ".git").exists()]
    inside += snapshot_ignored.repositories(inner.top, ignored)
    changed = index.git.do("ls-files", "-m", "-o", "--exclude-standard", "-z").split("\0")
    size = snapshot_ignored.total_size(inner.top, changed)
    if size > snapshot_ignored.LARGEST_SNAPSHOT:
        raise NotKept(f"{size // 1_000_000} MB are not committed there")
    inside = list(dict.fromkeys(inside))
    complaint = index.add_all(inside)
    if complaint:
        raise NotKept(f"git could not read it: {complaint}")
    index.add(snapshot_ignored.ignored_texts(inner.top, ignored))
    kept = {
        path: keep(inner.hub, inner.top / path, f"{ref}-{number}", depth + 1)
        for number, path in enumerate(inside, 1)
    }
    index.put_commits(kept)


def _stashes(inner: _Inner) -> list[str]:
    """The oldest first; those of the project's own repository are not this one's."""
    if inner.common == inner.hub:
        return []
    return layout.commits_in(inner.common / "logs" / _STASH) or [*filter(None, [inner.refs.get(_STASH)])]


def _named(inner: _Inner) -> list[str]:
    """Every commit that its refs, reflogs and unfinished operations name."""
    found = list(inner.refs.values())
    folders = [inner.git_dir] if inner.common == inner.hub else [inner.git_dir, inner.common]
    for folder in folders:
        for name in _PSEUDO:
            found += layout.commits_in(folder / name)
        for path in sorted((folder / "logs").rglob("*")):
            found += layout.commits_in(path)
    return list(dict.fromkeys(found))


def _independent(git: Git, named: list[str]) -> list[str]:
    """Of these, what no other of them reaches; tags as what they are about, and what is gone not at all."""
    if not named:
        return []
    asked = "".join(f"{one}^{{commit}}\n" for one in named).encode()
    answers = git.do("cat-file", "--batch-check=%(objectname)", stdin=asked).split("\n")
    commits = list(dict.fromkeys(line for line in answers if layout.is_id(line)))
    if not commits:
        return []
    lines = [line.split(" ") for line in git.do("rev-list", "--parents", *commits).split("\n") if line]
    below = {parent for line in lines for parent in line[1:]}
    return [commit for commit in commits if commit not in below]


def _tags(inner: _Inner) -> list[str]:
    """Tags with words of their own."""
    named = [at for name, at in inner.refs.items() if name.startswith("refs/tags/")]
    if not named:
        return []
    asked = "".join(f"{one}\n" for one in named).encode()
    answers = inner.git("/dev/null").do("cat-file", "--batch-check", stdin=asked).split("\n")
    return [line.split(" ")[0] for line in answers if " tag " in line]


def _settings(inner: _Inner) -> list[str]:
    """Where it came from; not what would run a program."""
    config = str(inner.common / "config")
    if inner.common == inner.hub:
        return []
    listed = layout.git_on(inner.hub).run("config", "--file", config, "-z", "--get-regexp", _SETTINGS).text
    entries = [entry.partition("\n") for entry in listed.split("\0") if entry]
    return [f"config {key} {value}" for key, _, value in entries if "\n" not in value]


def _known(hub: Path) -> list[str]:
    """What need not be brought once more: the project's branches, and what earlier snapshots kept."""
    found = fingerprint.read_refs(hub).items()
    heads = {at for ref, at in found if ref.startswith("refs/heads/") or "-nested/" in ref}
    return [at for at in sorted(heads) if layout.is_id(at)]


def _bring(source: Git, target: Git, wanted: list[str], known: list[str]) -> None:
    """Everything that these reach, as one pack, from one repository to another."""
    asked = "".join([*(f"{one}\n" for one in wanted), *(f"^{one}\n" for one in known)]).encode()
    pack = source.run("pack-objects", "--revs", "--stdout", "-q", stdin=asked, limit_s=600)
    if pack.code != 0:
        raise GitFailed(("pack-objects",), pack.code, pack.complaint)
    target.do("index-pack", "--stdin", stdin=pack.out, limit_s=600)


# ── and back ──────────────────────────────────────────────────────────────────────────────────────────


def _message(hub: Path, commit: str) -> list[str]:
    """The lines that `keep` wrote about a repository; none if the commit is another."""
    told = layout.git_on(hub).run("cat-file", "commit", commit)
    words = told.out.decode("utf-8", "surrogateescape").partition("\n\n")[2]
    return words.split("\n")[2:] if told.code == 0 and words.startswith(OPENING) else []


def _make(hub: Path, commit: str, words: list[str], top: Path) -> None:
    said = [line.partition(" ") for line in words if line]
    refs = [rest.split(" ", 1) for kind, _, rest in said if kind == "ref"]
    top.mkdir(parents=True, exist_ok=True)
    source, git = layout.git_on(hub), Git(top)
    fmt = source.do("rev-parse", "--show-object-format")
    git.do("init", "-q", "--template=", f"--object-format={fmt}")
    _bring(source, git, [commit, *(at for at, _ in refs)], [])
    git.do("update-ref", "--stdin", "-z", stdin=b"".join(_create(at, name) for at, name in refs))
    for stash in (rest for kind, _, rest in said if kind == "stash"):
        git.do("stash", "store", "-m", "restored by Toryo", stash)
    for key, value in (rest.split(" ", 1) for kind, _, rest in said if kind == "config"):
        git.do("config", "--add", key, value)
    git.do("read-tree", commit)
    git.do("checkout-index", "--all", "--force", limit_s=1800)
    staged = next((rest for kind, _, rest in said if kind == "index"), "")
    git.do("read-tree", staged or "--empty")
    head = next(rest for kind, _, rest in said if kind == "HEAD")
    (top / ".git" / "HEAD").write_text(f"{head}\n", "utf-8", "surrogateescape")
    git.run("update-index", "-q", "--refresh")
    make_all(hub, commit, top)


def _create(at: str, name: str) -> bytes:
    return f"create {name}\0{at}\0".encode("utf-8", "surrogateescape")
