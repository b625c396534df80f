"""Terminal front: four screens over one line to the daemon; it decides nothing and never polls."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.theme import Theme
from textual.widgets import ContentSwitcher, Input, Static

from toryo.domain.errors import ToryoError
from toryo.fronts.checkouts import main_checkout
from toryo.fronts.daemon_line import ANSWER_WITHIN_S, DaemonLine
from toryo.fronts.text.output import plain
from toryo.fronts.tui import usage_text
from toryo.fronts.tui.agent.agent_view import AgentView
from toryo.fronts.tui.background import in_thread
from toryo.fronts.tui.branch_view import BranchView
from toryo.fronts.tui.dialogs import PageDialog
from toryo.fronts.tui.event_line import AGAIN_S, EventLine
from toryo.fronts.tui.header import Counts, ModeNames, counted, hints
from toryo.fronts.tui.help_screen import HelpScreen
from toryo.fronts.tui.keys import bindings, read, table
from toryo.fronts.tui.palette import Everything
from toryo.fronts.tui.project_choice import ProjectChoice, projects_of
from toryo.fronts.tui.queue_view import QueueView
from toryo.fronts.tui.view import View
from toryo.fronts.tui.work.work_view import WorkView
from toryo.protocol.wire import WireError

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.events import DescendantFocus

    from toryo.settings import Home

MODES = (BranchView, AgentView, WorkView, QueueView)
AGAIN_AFTER_S = 10.0
EVERYWHERE = (
    *("other_mode", "focus_next_part", "palette", "palette_here", "help", "quit", "leave", "new"),
    *("show_branches", "show_agent", "show_work", "show_queue", "usage", "refresh"),
    *("jump_branches", "jump_agent", "jump_work", "jump_queue", "project"),
)
DARK = Theme(
    name="toryo",
    primary="#4a5a7a",
    accent="#e0a458",
    secondary="#6fa8a0",
    warning="#d9a441",
    error="#d96c5f",
    success="#7fb069",
    background="#14171d",
    surface="#1b1f27",
    panel="#232833",
    foreground="#d8dce4",
    dark=True,
)


class ToryoApp(App[None]):
    TITLE = "toryo"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+shift+f12"  # ours are named in `keys`
    COMMANDS: ClassVar = {Everything}
    BINDINGS: ClassVar = bindings(EVERYWHERE)
    CSS = """
    #top { height: 1; background: $panel; }
    #modes { width: auto; }
    #where { width: 1fr; text-align: right; padding: 0 1; }
    #lost { height: auto; max-height: 2; background: $error; color: $background; padding: 0 1; }
    #lost { display: none; }
    #lost.away { display: block; }
    #hints { height: 1; background: $panel; color: $text-muted; padding: 0 1; }
    #screens { height: 1fr; }
    #hints, #unfinished, #planning, #mission { text-wrap: nowrap; text-overflow: ellipsis; }
    Screen { layers: base; }
    ToastRack { dock: top; align: right top; margin: 1 0 0 0; }
    Toast { width: 56; max-width: 70%; padding: 0 1; margin: 0 1 0 0; }
    """

    def __init__(
        self,
        home: Home,
        path: str,
        screen: str = "",
        *,
        start_planner: Callable[[], object] = lambda: None,
        check_model: Callable[..., dict[str, Any]] = dict,
    ) -> None:
        super().__init__()
        self.animation_level = "none"  # slow links
        self.home = home
        self.mode = screen or "branches"
        self._front_mode = self.mode if self.mode in ("branches", "agent") else "branches"
        """The one of the two modes that was seen last."""
        self._path = path
        self.where: dict[str, Any] = {"path": path}
        """The project that is shown, as tools take it; empty: all of them."""
        self.has_project = True
        self.project_name = ""
        self.projects: list[dict[str, Any]] = []
        """Those that work is done in; asked for where none is here."""
        self._counts = ""
        self._counting = Counts(self)
        self._complained = "", 0.0
        self._start_planner, self.check_model = start_planner, check_model
        self._line = DaemonLine(home)
        self._changed_keys = read(home)

    def compose(self) -> ComposeResult:
        from textual.containers import Horizontal

        with Horizontal(id="top"):
            yield ModeNames(id="modes", markup=False)
            yield Static(id="where", markup=False)
        yield Static(id="lost", markup=False)
        with ContentSwitcher(id="screens", initial=self.mode):
            for view in MODES:
                yield view()
        yield Static(id="hints", markup=False)

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = "toryo"
        self.set_keymap(self._changed_keys)
        self.run_worker(self._begin(), name="begin")

    async def on_unmount(self) -> None:
        self.workers.cancel_all()
        await self._line.close()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A cursor that blinks would wake the process twice a second."""
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    async def _begin(self) -> None:
        while not await self._found_project():
            await asyncio.sleep(AGAIN_S)
        self._reveal(self.mode)  # a dialog that was opened meanwhile stays
        self.start_planner()
        if self.lacks_project and self.mode in ("branches", "agent"):
            self.action_project()
        await EventLine(self._line, self._news, self._lost).follow()

    async def _found_project(self) -> bool:
        """The one here; outside of any: all of them, or the only one. False: nobody could be asked."""
        try:
            self.projects = projects_of(await self.ask("list_projects"))
            main = main_checkout(self._path)
            found = (await self.ask("get_project", path=main))["project"]
            if found["status"] != "removed":
                self.where, self.has_project = {"path": self._path}, True
                self.project_name = found["name"]
                if main != self._path:  # work that is begun here lands on the branch of this worktree
                    self.where = {"project": found["id"], "path": self._path}
                return True
        except WireError as away:
            self._lost(f"{away.message} {away.hint}")
            return False
        except ToryoError:  # no project is here
            pass
        self.where, self.has_project = {}, False
        if len(self.projects) == 1:
            self._take_project(self.projects[0])
        return True

    def _take_project(self, one: dict[str, Any]) -> None:
        self.where, self.has_project = {"project": one["id"]}, True
        self.project_name = one["name"]

    @property
    def lacks_project(self) -> bool:
        """There are several, and none is chosen."""
        return not self.has_project and bool(self.projects)

    def choose_project(self, project: str) -> None:
        """Everything is about that one from now on; empty: about all of them."""
        chosen = next((one for one in self.projects if one["id"] == project), None)
        if chosen is None:
            self.where, self.has_project, self.project_name = {}, False, ""
        else:
            self._take_project(chosen)
        self._show_top()
        self._counting.news()
        for view in self.query(View):
            view.project_changed()
            view.news(None)

    async def insist_on_project(self) -> bool:
        """Asked for where none is chosen; whether there is one now."""
        if self.lacks_project and (project := await self.push_screen_wait(ProjectChoice(self.projects))):
            self.choose_project(project)
        return not self.lacks_project

    async def _look_for_project(self) -> None:
        """One was added, or is worked on again."""
        if self.has_project:
            self.projects = projects_of(await self.ask("list_projects"))
        elif await self._found_project() and self.project_name:
            self._show_top()
            for view in self.query(View):
                view.news(None)

    # the daemon

    async def ask(self, tool: str, *, timeout_s: float = ANSWER_WITHIN_S, **arguments: Any) -> Any:
        """What it answers; the caller names the view."""
        return await self._line.call(tool, arguments, timeout_s=timeout_s)

    def _news(self, events: list[dict[str, Any]] | None) -> None:
        self._counting.news()
        if events is None or any(str(one["kind"]).startswith("project_") for one in events):
            self.view.begin(self._look_for_project())
        for view in self.query(View):
            view.news(events)

    def _lost(self, words: str) -> None:
        lost = self.query_one("#lost", Static)
        lost.set_class(bool(words), "away")
        lost.update(f"◆ {plain(words)} What you see may be old." if words else "")

    def complain(self, error: ToryoError) -> None:
        """The same is not said twice in a moment."""
        words = f"{plain(error.message)} {plain(error.hint)}".strip()
        now = time.monotonic()
        if words != self._complained[0] or now > self._complained[1] + AGAIN_AFTER_S:
            self._complained = words, now
            self.notify(words, severity="warning", markup=False)

    def start_planner(self) -> None:
        """In a thread: where a model is configured, its process is started if it does not run."""

        async def start() -> None:
            try:
                await in_thread(self._start_planner)
            except ToryoError as refused:
                self.complain(refused)

        self.run_worker(start(), name="start the planner")

    # what is seen

    @property
    def has_dialog(self) -> bool:
        return len(self.screen_stack) > 1

    @property
    def view(self) -> View:
        return self.query_one(f"#{self.mode}", View)

    def show(self, mode: str) -> None:
        while self.has_dialog:
            self.pop_screen()
        self._reveal(mode)

    def _reveal(self, mode: str) -> None:
        self.mode = mode
        if mode in ("branches", "agent"):
            self._front_mode = mode
        self.query_one("#screens", ContentSwitcher).current = mode
        self.show_hints()
        self._show_top()
        self.view.seen()

    def show_hints(self) -> None:
        self.query_one("#hints", Static).update(hints(self.view.hints, self.size.width - 2))

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_hints)

    def show_counts(self, status: dict[str, Any]) -> None:
        self._counts = counted(status)
        self._show_top()

    def _show_top(self) -> None:
        self.query_one("#modes", ModeNames).show(self.mode)
        where = self.project_name or ("all projects" if self.projects else "no project")
        told = " · ".join(part for part in (self._counts, where) if part)
        self.query_one("#where", Static).update(told)

    def open_mission(self, mission: str) -> None:
        self.show("agent")
        self.query_one(AgentView).open(mission)

    def open_task(self, task: str) -> None:
        self.show("work")
        self.query_one(WorkView).go_to(f"task:{task}")

    def open_target(self, project: str, name: str) -> None:
        self.show("queue")
        self.query_one(QueueView).go_to(f"{project}/{name}")

    def open_branch(self, key: str) -> None:
        self.show("branches")
        self.query_one(BranchView).go_to(key)

    def open_agent(self, agent: str) -> None:
        """Its work."""
        self.show("work")
        self.query_one(WorkView).only(agent)

    def open_settings(self) -> None:
        self.show("agent")
        self.query_one(AgentView).action_settings()

    def open_doctor(self) -> None:
        async def look() -> None:
            self.push_screen(PageDialog("doctor", self.as_text(await self.ask("doctor"))))

        self.view.begin(look())

    def copy(self, line: str) -> None:
        """A line to type: into the terminal's clipboard, and shown."""
        self.copy_to_clipboard(line)
        self.notify(f"Type: {plain(line)}  (copied)", markup=False, timeout=10)

    def as_text(self, answer: dict[str, Any]) -> str:
        told = {key: value for key, value in answer.items() if key != "success"}
        return plain(json.dumps(told, indent=2, ensure_ascii=False))

    # keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters belong to an input, and behind a dialog nothing is done."""
        names = {"palette_here", "help", "leave", "new", "usage", "refresh", "project"}
        if action in names or action.startswith("show_"):
            return not isinstance(self.focused, Input) and not self.has_dialog
        if action in ("other_mode", "palette") or action.startswith("jump_"):
            return not self.has_dialog
        return super().check_action(action, parameters)

    def action_other_mode(self) -> None:
        here = self._front_mode if self.mode not in ("branches", "agent") else ""
        self.show(here or ("agent" if self.mode == "branches" else "branches"))

    def action_focus_next_part(self) -> None:
        self.screen.focus_next()

    def action_palette(self) -> None:
        self.action_command_palette()

    def action_palette_here(self) -> None:
        self.action_command_palette()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(table(self._changed_keys)))

    async def action_quit(self) -> None:
        self.exit()

    def action_leave(self) -> None:
        self.exit()

    def action_new(self) -> None:
        self.open_mission("")

    def action_show_branches(self) -> None:
        self.show("branches")

    def action_show_agent(self) -> None:
        self.show("agent")

    def action_show_work(self) -> None:
        self.show("work")

    def action_show_queue(self) -> None:
        self.show("queue")

    action_jump_branches = action_show_branches
    action_jump_agent = action_show_agent
    action_jump_work = action_show_work
    action_jump_queue = action_show_queue

    def action_project(self) -> None:
        if not self.projects:
            self.notify("There is no project. `toryo init` makes a repository one.")
            return
        self.push_screen(
            ProjectChoice(self.projects), lambda project: self.choose_project(project) if project else None
        )

    def action_refresh(self) -> None:
        self._news(None)

    def action_usage(self) -> None:
        self.view.begin(self._usage())

    async def _usage(self) -> None:
        listed = await self.ask("list_missions", **self.where, limit=50)
        missions = [
            (await self.ask("show_mission", mission=one["id"]))["mission"] for one in listed["missions"]
        ]
        project = str(self.where.get("project", self.project_name))
        runs = await self.ask("list_runs", project=project, limit=1000)
        self.push_screen(PageDialog("usage and cost", usage_text.page(missions, runs["runs"])))
