"""The tools of people about reviews: hunks with marks, comments on lines, sending them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Task
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import LARGEST, Arguments, people_tool
from toryo.engine.context import Caller
from toryo.protocol.views import reviews as views
from toryo.usecases.asks import repositories
from toryo.usecases.reviews import comments, marks

LOOK_S = 20
MOST = 2_000_000
"""Characters of a change that are shown; a larger one is cut."""


class Review(Task):
    since_last: bool = Field(default=False, description="Only hunks that were not seen as they are now.")


class Mark(Task):
    hunks: list[str] = Field(default_factory=list, max_length=10_000, description="None: every one.")
    seen: bool = True


class Comment(Task):
    path: str = Field(min_length=1, max_length=4096)
    first: int = Field(ge=1, le=LARGEST)
    last: int = Field(ge=1, le=LARGEST)
    text: str
    excerpt: str = Field(default="", max_length=100_000)


class ChangeComment(Arguments):
    comment: str
    text: str = Field(default="", description="Empty: the draft goes.")


async def _diff(head: Head, caller: Caller, task: str) -> tuple[dict[str, Any], str, bool]:
    """The compared commits, the change, and whether it is cut."""
    parts: list[str] = []
    offset = size = 0
    while True:
        read = await head.read(repositories.diff, task, stat=False, offset=offset)
        found = await answered(head, caller, read, LOOK_S)
        parts.append(str(found["text"]))
        size += len(parts[-1])
        if found["ended"] or not parts[-1]:
            return read.about, "".join(parts), False
        if size >= MOST:
            return read.about, "".join(parts), True
        offset = int(found["next_offset"])


async def get_review(head: Head, caller: Caller, args: Review) -> views.Review:
    about, diff, cut = await _diff(head, caller, args.task)
    return await head.read(marks.review, args.task, about, diff, since_last=args.since_last, cut=cut)


async def mark_hunks(head: Head, caller: Caller, args: Mark) -> views.MarkedHunks:
    _, diff, _ = await _diff(head, caller, args.task)
    return await head.do(marks.mark, args.task, diff, args.hunks, seen=args.seen)


async def comment_review(head: Head, caller: Caller, args: Comment) -> views.KeptComment:
    return await head.do(
        comments.comment, args.task, args.path, args.first, args.last, args.text, args.excerpt
    )


async def change_comment(head: Head, caller: Caller, args: ChangeComment) -> views.KeptComment:
    return await head.do(comments.change_comment, args.comment, args.text)


async def send_review(head: Head, caller: Caller, args: Task) -> views.SentReview:
    return await head.do(comments.send, args.task)


TOOLS = (
    people_tool("get_review", Review, get_review, views.Review, "What a task changed, hunk by hunk."),
    people_tool("mark_hunks", Mark, mark_hunks, views.MarkedHunks, "Say which hunks were seen."),
    people_tool("comment_review", Comment, comment_review, views.KeptComment, "Keep a comment as a draft."),
    people_tool(
        "change_comment", ChangeComment, change_comment, views.KeptComment, "Change a draft, or drop it."
    ),
    people_tool("send_review", Task, send_review, views.SentReview, "Send all drafts of a task at once."),
)
