"""Route table of the page: method, path, the daemon's tool behind it, its arguments, the view of its answer.

A route that is one call of a tool is one line here; the few that are more are in `monitor`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toryo.fronts.web import bodies
from toryo.protocol.views import (
    agents,
    bus,
    evidence,
    memory,
    missions,
    projects,
    repositories,
    reviews,
    runs,
    sessions,
    settings,
    status,
    targets,
    tasks,
    units,
    why,
)


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    """A name in braces is an argument of the tool."""
    tool: str
    arguments: type[bodies.Arguments]
    view: type
    limit_s: float = 60.0
    ends_with_browser: bool = False
    """Nothing is left to do for a browser that is gone: a read, or what is only looked at."""
    kept_s: float = 0
    """So long every browser that asks the same has the same answer; 0: each its own."""


def _get(path: str, tool: str, arguments: type[bodies.Arguments], view: type) -> Route:
    return Route("GET", f"/api{path}", tool, arguments, view, ends_with_browser=True)


def _post(path: str, tool: str, arguments: type[bodies.Arguments], view: type, limit_s: float = 60) -> Route:
    return Route("POST", f"/api{path}", tool, arguments, view, limit_s)


_N = bodies.Nothing

ROUTES = (
    _get("/status", "get_status", bodies.InProject, status.Status),
    _get("/events", "list_events", bodies.Events, status.EventPage),
    _get("/why", "why", bodies.Why, why.Why),
    _get("/doctor", "doctor", _N, status.Doctor),
    _get("/doctor/recompute", "recompute", _N, status.Recomputed),
    _get("/health", "health_check", _N, status.Health),
    _get("/work", "list_tasks", bodies.Work, tasks.ListedTasks),
    _get("/task-lines", "list_tasks", bodies.TaskLines, tasks.ListedTasks),
    _post("/tasks", "add_task", bodies.NewTask, tasks.AddedTask),
    _get("/tasks/{task}", "get_task", _N, tasks.OneTask),
    Route("PATCH", "/api/tasks/{task}", "update_task", bodies.UpdateTask, tasks.UpdatedTask),
    _get("/tasks/{task}/evidence", "get_evidence", _N, evidence.Evidence),
    _get("/tasks/{task}/diff", "read_diff", bodies.Diff, evidence.DiffPage),
    _get("/tasks/{task}/review", "get_review", bodies.Review, reviews.Review),
    _post("/tasks/{task}/review/mark", "mark_hunks", bodies.MarkHunks, reviews.MarkedHunks),
    _post("/tasks/{task}/review/comments", "comment_review", bodies.ReviewComment, reviews.KeptComment),
    _post("/tasks/{task}/review/send", "send_review", _N, reviews.SentReview),
    _post("/comments/{comment}", "change_comment", bodies.CommentText, reviews.KeptComment),
    _get("/tasks/{task}/check", "read_check", bodies.CheckOutput, evidence.CheckOutput),
    _get("/tasks/{task}/log", "read_log", bodies.Log, runs.LogPage),
    _get("/tasks/{task}/log/search", "search_log", bodies.SearchLog, runs.LogMatches),
    _get("/tasks/{task}/commits", "list_commits", bodies.Commits, repositories.ListedCommits),
    _get("/tasks/{task}/file", "read_file", bodies.File, repositories.FileText),
    _get("/tasks/{task}/tree", "read_tree", bodies.Folder, repositories.ListedFolder),
    _get("/tasks/{task}/hand-work", "get_hand_work", _N, tasks.HandWork),
    _get("/tasks/{task}/prompt", "worker_prompt", _N, sessions.WorkerPrompt),
    _post("/tasks/{task}/approve", "approve_task", bodies.Verb, tasks.SaidVerb),
    _post("/tasks/{task}/reject", "reject_task", bodies.Verb, tasks.SaidVerb),
    _post("/tasks/{task}/cancel", "cancel_task", bodies.Verb, tasks.SaidVerb),
    _post("/tasks/{task}/dismiss", "dismiss_task", bodies.Verb, tasks.SaidVerb),
    _post("/tasks/{task}/retry", "retry_task", bodies.Retry, tasks.SaidVerb),
    _post("/tasks/{task}/submit", "submit_task", bodies.Note, tasks.SubmittedTask),
    _post("/tasks/{task}/revert", "revert_task", bodies.Note, tasks.RevertedTask),
    Route("POST", "/api/tasks/{task}/verify", "verify_task", _N, evidence.Verified, 3600, True),
    _post("/say/{id}", "say", bodies.Say, runs.Spoken),
    _get("/attach/{id}", "attach_run", _N, runs.AttachedRun),
    replace(_get("/screen/{id}", "read_screen", bodies.Screen, runs.ScreenText), kept_s=0.2),
    _get("/runs", "list_runs", bodies.Runs, runs.ListedRuns),
    _get("/runs/{run}", "get_run", _N, runs.OneRun),
    _get("/runs/{run}/log", "read_log", bodies.Log, runs.LogPage),
    _get("/runs/{run}/log/search", "search_log", bodies.SearchLog, runs.LogMatches),
    _post("/runs/{run}/stop", "stop_run", _N, runs.StoppedRun),
    _post("/runs/{run}/release", "release_run", _N, runs.ReleasedRun),
    _post("/restore", "restore_snapshot", bodies.Restore, runs.RestoredSnapshot, 180),
    _get("/missions", "list_missions", bodies.Missions, missions.ListedMissions),
    _post("/missions", "start_mission", bodies.NewMission, missions.StartedMission, 180),
    _get("/missions/{mission}", "show_mission", _N, missions.OneMission),
    _get("/missions/{mission}/files", "export_mission", _N, missions.ExportedMission),
    _post("/missions/{mission}/answer", "answer_mission", bodies.Answers, missions.SaidToMission),
    _post("/missions/{mission}/approve", "approve_mission", bodies.ApprovePlan, missions.SaidToMission),
    _post("/missions/{mission}/reject", "reject_mission", bodies.RejectPlan, missions.SaidToMission),
    _post("/missions/{mission}/say", "say_mission", bodies.SayMission, missions.SaidToMission),
    _post("/missions/{mission}/set", "set_mission", bodies.SetMission, missions.SaidToMission),
    _post("/missions/{mission}/pause", "pause_mission", bodies.PauseMission, missions.SaidToMission),
    _post("/missions/{mission}/resume", "resume_mission", _N, missions.SaidToMission),
    _post("/missions/{mission}/cancel", "cancel_mission", _N, missions.SaidToMission),
    _post("/missions/{mission}/budget", "budget_mission", bodies.Budget, missions.SaidToMission),
    _get("/units", "unit_tree", bodies.UnitTree, units.UnitTree),
    _post("/units", "spawn_tree", bodies.SpawnTree, units.SpawnedTree, 180),
    _post("/units/{unit}/stop", "stop_unit", bodies.OneUnit, units.SteeredUnit),
    _post("/units/{unit}/pause", "pause_unit", bodies.PauseUnit, units.SteeredUnit),
    _post("/units/{unit}/resume", "resume_unit", bodies.OneUnit, units.SteeredUnit),
    _post("/units/{unit}/retry", "retry_unit", bodies.OneUnit, units.SteeredUnit),
    _get("/units/{unit}/messages", "list_messages", bodies.UnitMessages, bus.ListedMessages),
    _post("/units/{unit}/messages/clear", "clear_messages", bodies.Here, bus.ClearedMessages),
    _post("/messages", "send_to_unit", bodies.UnitMessage, bus.SentMessage),
    _get("/messages", "export_messages", bodies.AllMessages, bus.ExportedMessages),
    _get("/projects", "list_projects", _N, projects.ListedProjects),
    _post("/projects", "register_project", bodies.NewProject, projects.RegisteredProject, 180),
    _get("/projects/{project}", "get_project", _N, projects.OneProject),
    _get("/projects/{project}/branches", "list_branches", bodies.Branches, repositories.ListedBranches),
    _get("/projects/{project}/branch", "show_branch", bodies.NamedBranch, repositories.OneBranch),
    _post(
        "/projects/{project}/branch/delete", "delete_branch", bodies.DeleteBranch, repositories.DeletedBranch
    ),
    _post(
        "/projects/{project}/branch/merge", "merge_branch", bodies.MergeBranch, repositories.MergedBranch, 180
    ),
    _post("/projects/{project}/branch/open", "open_branch", bodies.NamedBranch, repositories.OpenedBranch),
    _post(
        "/projects/{project}/branch/start",
        "start_on_branch",
        bodies.StartOnBranch,
        repositories.StartedOnBranch,
    ),
    _post(
        "/projects/{project}/branch/summary",
        "summarise_branch",
        bodies.NamedBranch,
        repositories.SummarisedBranch,
        180,
    ),
    _get("/projects/{project}/commits", "list_commits", bodies.Commits, repositories.ListedCommits),
    _get("/projects/{project}/file", "read_file", bodies.File, repositories.FileText),
    _get("/projects/{project}/tree", "read_tree", bodies.Folder, repositories.ListedFolder),
    _post("/projects/{project}/archive", "archive_project", _N, projects.OneProject),
    _post("/projects/{project}/activate", "activate_project", _N, projects.OneProject),
    _post("/projects/{project}/move", "move_project", bodies.Move, projects.OneProject, 180),
    _post("/projects/{project}/remove", "remove_project", bodies.RemoveProject, projects.RemovedProject, 600),
    _post("/projects/{project}/sync", "sync_agents", _N, agents.SyncedAgents),
    _get("/agents", "list_agents", bodies.InProject, agents.ListedAgents),
    _post("/agents", "add_agent", bodies.NewAgent, agents.AddedAgent),
    _get("/agents/{agent}", "get_agent", bodies.InProject, agents.OneAgent),
    _post("/agents/{agent}/assign", "assign_agent", bodies.Assign, agents.Assignment),
    _post("/agents/{agent}/unassign", "unassign_agent", bodies.InProject, agents.Assignment),
    _post("/agents/{agent}/enable", "enable_agent", bodies.InProject, agents.EnabledAgent),
    _post("/agents/{agent}/disable", "disable_agent", bodies.InProject, agents.EnabledAgent),
    _post("/agents/{agent}/passkey", "new_passkey", _N, agents.NewPasskey),
    _post("/agents/{agent}/remove", "remove_agent", bodies.RemoveAgent, agents.RemovedAgent),
    _get("/sessions", "list_sessions", bodies.InProject, sessions.ListedSessions),
    _post("/agents/{agent}/end-session", "release_agent", bodies.EndSession, sessions.ReleasedAgent),
    _get("/targets", "list_targets", bodies.InProject, targets.TargetList),
    _get("/target", "get_target", bodies.OneTarget, targets.OneTarget),
    _post("/target/approve", "approve_target", bodies.TargetNote, targets.SaidOfTarget),
    _post("/target/retry", "retry_target", bodies.TargetNote, targets.SaidOfTarget),
    _get("/accounts", "list_accounts", _N, targets.AccountList),
    _post("/accounts/release", "release_account", bodies.Account, targets.ReleasedAccount),
    _get("/memory", "list_memory", bodies.InProject, memory.ListedMemory),
    _get("/memory/{name}", "show_memory", bodies.InProject, memory.MemoryText),
    _get("/config", "list_config", _N, settings.ListedSettings),
    _post("/config/{key}", "set_config", bodies.Setting, settings.OneSetting),
    Route("DELETE", "/api/config/{key}", "unset_config", _N, settings.UnsetSetting),
    _post("/notify/test", "test_notify", _N, settings.TriedNotify),
)
