// Answers to what waits for a person: what each action of the daemon's table is here, a call, words, or a line to copy.
import { call, type Views } from "../api/client";
import { paths } from "./route";

export type Action = Views["ActionView"];

export interface Answer {
  label: string;
  /** Pressed on the item that the cursor is on: `a` says yes, `x` no, `m` something. */
  key?: "a" | "x" | "m";
  /** main: what is likeliest; danger: what takes something away. */
  tone: "main" | "plain" | "danger";
  /** What is asked before it is done. */
  asks: { words: string; isNeeded: boolean; first?: string } | null;
  /** Said once more before it is done. */
  warns?: string;
  run: (words: string) => Promise<string>;
}
/** Lines to type: a program of the machine, a choice of more than one word, a window, or a secret. */
export const TERMINAL_ONLY: ReadonlySet<string> = new Set([
  "attach",
  "add_agent",
  "add_program",
  "name_program",
  "install",
  "doctor",
  "init",
  "take_over",
  "stash",
  "look_in_git",
  "list_worktrees",
  "list_removed",
  "make_branch",
  "up",
  "passkey",
  "wait",
  "use_planner",
  "check_planner",
]);

export interface Elsewhere {
  label: string;
  /** A page of ours. */
  href?: string;
  /** A line for a terminal. */
  line?: string;
}

const OPTIONAL = (words: string) => ({ words, isNeeded: false });
const NEEDED = (words: string) => ({ words, isNeeded: true });

type Verb = "approve" | "reject" | "retry" | "cancel" | "dismiss" | "submit";

/**
 * Says a verb about a task; a retry that would drop a person's own work is refused, and says how.
 * `seen`: the reason that it answers; of two answers to it the first counts. `allow`: what a retry may change, too.
 */
export async function sayVerb(task: string, verb: Verb, note = "", seen = "", allow: string[] = []): Promise<string> {
  const path = { task };
  let said: Views["SaidVerb"];
  if (verb === "retry") said = await call("post", "/api/tasks/{task}/retry", { path, body: { note, seen, discard: false, allow } });
  else if (verb === "submit") said = await call("post", "/api/tasks/{task}/submit", { path, body: { note } });
  else said = await call("post", `/api/tasks/{task}/${verb}` as "/api/tasks/{task}/approve", { path, body: { note, seen } });
  if (said.already) return `already answered: ${said.by}`;
  return note ? `${SAID[verb]}: “${note}”` : SAID[verb];
}

const SAID: Record<Verb, string> = {
  approve: "approved",
  reject: "rejected",
  retry: "retried",
  cancel: "cancelled",
  dismiss: "dismissed",
  submit: "submitted",
};

export function taskAnswer(verb: Verb, task: string, seen = ""): Answer {
  const run = (words: string) => sayVerb(task, verb, words, seen);
  switch (verb) {
    case "approve":
      return { label: "Approve", key: "a", tone: "main", asks: null, run };
    case "reject":
      return { label: "Reject", key: "x", tone: "danger", asks: NEEDED("Why? The reason is kept with the task."), run };
    case "retry":
      return { label: "Retry", tone: "plain", asks: OPTIONAL("What the next run should know (optional)"), run };
    case "cancel":
      return { label: "Cancel", tone: "danger", asks: OPTIONAL("Why? (optional)"), run };
    case "dismiss":
      return { label: "Dismiss", tone: "plain", asks: null, run };
    case "submit":
      return { label: "Submit my work", tone: "plain", asks: OPTIONAL("What you did (optional)"), run };
  }
}

export function sayAnswer(id: string, label: string, words: string): Answer {
  return {
    label,
    key: "m",
    tone: "main",
    asks: NEEDED(words),
    run: async (text) => {
      const told = await call("post", "/api/say/{id}", { path: { id }, body: { text, message: "" } });
      if (told.problem) throw new Error(told.problem.message);
      return told.answered || told.delivered ? `answered: “${text}”` : `said: “${text}” (it waits for ${told.waiting || "the agent"})`;
    },
  };
}

/** What an action is on this page; null: nothing can be done from here. */
export function answerTo(action: Action, project: string, seen = ""): Answer | Elsewhere {
  const { do: does, subject, args } = action;
  switch (does) {
    case "approve":
    case "reject":
    case "retry":
    case "cancel":
    case "dismiss":
    case "submit":
      return taskAnswer(does, subject, seen);
    case "answer":
      return sayAnswer(subject, "Answer", "Your answer to the agent");
    case "say":
      return sayAnswer(subject, "Say", "Words for the agent");
    case "evidence":
      return { label: "Evidence", href: paths.task(subject) };
    case "show_mission":
      return { label: "Open mission", href: paths.mission(subject) };
    case "reassign":
      return ofPlain(`Give it to ${args.agent}`, () =>
        call("patch", "/api/tasks/{task}", { path: { task: subject }, body: { agent: args.agent ?? "" } as never }),
      );
    case "read_inbox":
      return { label: "Read its messages", href: `${paths.task(subject)}?tab=said` };
    case "clear_inbox":
      return ofPlain("Seen to", () =>
        call("post", "/api/units/{unit}/messages/clear", { path: { unit: subject }, body: { project, path: "" } }),
      );
    case "release_run":
      return {
        ...ofPlain("Release the run", () => call("post", "/api/runs/{run}/release", { path: { run: subject } })),
        warns: "Its machine does not answer. Released, the task may run elsewhere while the old run still works there.",
      };
    case "enable_agent":
      return ofPlain(`Enable ${subject}`, () =>
        call("post", "/api/agents/{agent}/enable", { path: { agent: subject }, body: { project } }),
      );
    case "assign_agent":
      return ofPlain(`Assign ${subject}`, () =>
        call("post", "/api/agents/{agent}/assign", { path: { agent: subject }, body: { project, default: false } }),
      );
    case "activate_project":
      return ofPlain("Activate the project", () =>
        call("post", "/api/projects/{project}/activate", { path: { project: subject } }),
      );
    case "move_project":
      return {
        label: "It is elsewhere now",
        tone: "plain",
        asks: NEEDED("The folder where the repository is now, as an absolute path"),
        run: async (moved) => {
          await call("post", "/api/projects/{project}/move", { path: { project: subject }, body: { path: moved } });
          return `moved to ${moved}`;
        },
      };
    case "follow_mission":
      return { label: "Go on from it", href: paths.mission(subject) };
    case "approve_target":
      return ofPlain(`Approve ${subject}`, () =>
        call("post", "/api/target/approve", { body: { target: subject, project: args.project ?? project, note: "" } }),
      );
    case "retry_target":
      return ofPlain(`Try ${subject} again`, () =>
        call("post", "/api/target/retry", { body: { target: subject, project: args.project ?? project, note: "" } }),
      );
    case "release_account":
      return ofPlain(`Release ${subject}`, () =>
        call("post", "/api/accounts/release", { body: { client: subject, machine: args.machine ?? "" } }),
      );
    case "release_agent":
      return ofPlain(`End the session of ${subject}`, () =>
        call("post", "/api/agents/{agent}/end-session", { path: { agent: subject }, body: { project, session: "" } }),
      );
    case "status":
      return { label: "All work", href: paths.work };
    case "more_slots":
      return ofPlain(`${subject}: ${args.slots} at once`, () =>
        call("post", "/api/agents", { body: { name: subject, slots: Number(args.slots), project } as never }),
      );
    case "show_branch":
      return { label: `Branch ${subject}`, line: action.line };
    case "open_branch":
    case "merge_branch":
    case "delete_branch":
    case "summarise_branch":
    case "start_on_branch":
      return branchAnswer(action, args.project ?? project);
    case "resume_unit":
      return ofPlain("Resume", () =>
        call("post", "/api/units/{unit}/resume", { path: { unit: subject }, body: { path: "" } }),
      );
    default:
      return does.endsWith("_mission") || does === "say_to_mission"
        ? missionAnswer(action)
        : { label: does.replaceAll("_", " "), line: action.line };
  }
}

function branchAnswer({ do: does, subject: branch, args }: Action, project: string): Answer {
  const path = { project };
  switch (does) {
    case "open_branch":
      return ofPlain(`Open ${branch}`, () => call("post", "/api/projects/{project}/branch/open", { path, body: { branch } }));
    case "merge_branch":
      return ofPlain(`Merge ${branch}`, () =>
        call("post", "/api/projects/{project}/branch/merge", { path, body: { branch, onto: args.onto ?? "", note: "" } }),
      );
    case "summarise_branch":
      return {
        ...ofPlain(`Summarise ${branch}`, () => Promise.resolve()),
        run: async () => (await call("post", "/api/projects/{project}/branch/summary", { path, body: { branch } })).summary,
      };
    case "start_on_branch":
      return ofPlain(`Start ${args.agent} on ${branch}`, () =>
        call("post", "/api/projects/{project}/branch/start", { path, body: { branch, agent: args.agent ?? "" } }),
      );
    default:
      return {
        ...ofPlain(`Delete ${branch}`, () =>
          call("post", "/api/projects/{project}/branch/delete", { path, body: { branch, commit: args.commit ?? "" } }),
        ),
        tone: "danger",
        warns: "The branch goes; its commits stay reachable for a while.",
      };
  }
}

function ofPlain(label: string, run: () => Promise<unknown>): Answer {
  return {
    label,
    tone: "plain",
    asks: null,
    run: async () => {
      await run();
      return label;
    },
  };
}

/** The first valid answer counts; a later one is told what it was. */
function told(said: Views["SaidToMission"], words: string): string {
  return said.already ? `already answered: ${said.by || said.status}` : words;
}

function missionAnswer({ do: does, subject, args, line }: Action): Answer | Elsewhere {
  const path = { mission: subject };
  switch (does) {
    case "answer_mission":
    case "approve_mission":
    case "reject_mission":
      return { label: does === "answer_mission" ? "Answer" : "See the plan", href: paths.mission(subject) };
    case "say_to_mission":
      return {
        label: "Say",
        key: "m",
        tone: "plain",
        asks: NEEDED("What else, or what instead?"),
        run: async (text) =>
          told(await call("post", "/api/missions/{mission}/say", { path, body: { text } }), `said: “${text}”`),
      };
    case "pause_mission":
      return {
        label: "Pause",
        tone: "plain",
        asks: null,
        run: async () => told(await call("post", "/api/missions/{mission}/pause", { path, body: { now: false } }), "paused"),
      };
    case "resume_mission":
      return {
        label: "Resume",
        tone: "main",
        asks: null,
        run: async () => told(await call("post", "/api/missions/{mission}/resume", { path }), "resumed"),
      };
    case "cancel_mission":
      return {
        label: "Cancel",
        tone: "danger",
        asks: null,
        warns: "What has landed stays; everything else of this mission ends.",
        run: async () => told(await call("post", "/api/missions/{mission}/cancel", { path }), "cancelled"),
      };
    case "budget_mission": {
      const key = (args.limit ?? "tokens=0").split("=")[0] ?? "tokens";
      return {
        label: "Budget",
        tone: "main",
        asks: { words: `New limit of ${key}; 0 takes it away`, isNeeded: true, first: "0" },
        run: async (words) => {
          const limit = Number(words);
          if (!Number.isFinite(limit) || limit < 0) throw new Error("A budget is a number, 0 or more.");
          const body = { budget: { [key]: limit } };
          return told(await call("post", "/api/missions/{mission}/budget", { path, body }), `${key}: ${limit || "no limit"}`);
        },
      };
    }
    default:
      return { label: does.replaceAll("_", " "), line };
  }
}

/** The version that was seen is the one that is approved, or rejected. */
export function planApproval(mission: string, version: number): Answer {
  return {
    label: `Approve version ${version}`,
    key: "a",
    tone: "main",
    asks: null,
    run: async () =>
      told(await call("post", "/api/missions/{mission}/approve", { path: { mission }, body: { version } }), `approved version ${version}`),
  };
}

export function planRejection(mission: string, version: number): Answer {
  return {
    label: "Reject",
    key: "x",
    tone: "danger",
    asks: NEEDED("What should change? It is planned anew with these words."),
    run: async (reason) =>
      told(await call("post", "/api/missions/{mission}/reject", { path: { mission }, body: { reason, version } }), `rejected: “${reason}”`),
  };
}

/** Steering of a unit and all that is below it. */
export function unitAnswers(unit: string, status: string, reason: string): Answer[] {
  const path = { unit };
  const steer = (label: string, words: string, verb: "stop" | "resume" | "retry", more: Partial<Answer> = {}): Answer => ({
    label,
    tone: "plain",
    asks: null,
    run: async () => {
      await call("post", `/api/units/{unit}/${verb}` as "/api/units/{unit}/resume", { path, body: { path: "" } });
      return words;
    },
    ...more,
  });
  if (status === "done") return [];
  if (status === "cancelled" || status === "failed") return [steer("Retry the unit", "begun anew", "retry", { warns: "It begins anew from its parent's branch, without the children it had." })];
  const stop = steer("Stop the unit", "stopped", "stop", { tone: "danger", warns: "It and everything below it ends; what has landed stays." });
  if (reason === "paused") return [steer("Resume the unit", "goes on", "resume", { tone: "main" }), stop];
  const pause = (label: string, now: boolean, more: Partial<Answer>): Answer => ({
    label,
    tone: "plain",
    asks: null,
    run: async () => {
      await call("post", "/api/units/{unit}/pause", { path, body: { path: "", now } });
      return now ? "paused, its runs are stopped" : "paused: nothing of it starts";
    },
    ...more,
  });
  return [
    pause("Pause the unit", false, {}),
    pause("Pause and stop its runs", true, { tone: "danger", warns: "Its runs are stopped; resumed, they go on in the same worktrees." }),
    stop,
  ];
}
