// Task: why it is as it is, what it stands on, its runs and their logs, and what a person may do about it.
import { lazy, Suspense, useState } from "react";

import { call, type Views } from "../api/client";
import { Answers, useBack } from "../parts/Answers";
import { LogView } from "../parts/LogView";
import { Sign, State } from "../parts/marks";
import { Failure } from "../parts/said";
import { TaskLink } from "../parts/TaskLink";
import { Ago } from "../parts/time";
import { answerTo, sayAnswer, taskAnswer, type Answer, type Elsewhere } from "../state/answers";
import { useKeys } from "../state/keys";
import { useLoaded } from "../state/loaded";
import { projectName } from "../state/projects";
import { go, pathOf, paths } from "../state/route";
import { AboutTask } from "./AboutTask";
import { Checks } from "./Checks";
import { Runs } from "./Runs";
import { SaidToTask } from "./SaidToTask";
import { UnitMessages } from "./UnitMessages";

const Screen = lazy(() => import("../parts/Screen"));

type Task = Views["TaskView"];
type Why = Views["Why"];
const TABS = ["log", "checks", "runs", "said", "about"] as const;
type Tab = (typeof TABS)[number];
const NAMES: Record<Tab, string> = { log: "Log", checks: "Checks", runs: "Runs", said: "Said", about: "About" };

export function TaskPage({ id, first }: { id: string; first: string }) {
  const [tab, setTab] = useState<Tab>(TABS.find((one) => one === first) ?? "log");
  const { data, error, reload } = useLoaded(
    id,
    async () => {
      const path = { task: id };
      const [one, why] = await Promise.all([call("get", "/api/tasks/{task}", { path }), call("get", "/api/why", { query: { id } as never })]);
      return { task: one.task, why };
    },
    (message) => (message.type === "task_update" || message.type === "task_changed") && message.task_id === id,
  );
  useBack(paths.work);
  const isStoppable = data?.task.runs.some((one) => one.live) ?? false;
  useKeys("task", [
    ...TABS.map((one, at) => ({ key: String(at + 1), does: NAMES[one], run: () => setTab(one) })),
    { key: "r", does: "review: what it changed", run: () => go(paths.review(id)) },
    ...(isStoppable ? [{ key: "s", does: "to the buttons (stop, say …)", run: () => document.querySelector<HTMLElement>("[data-actions] button")?.focus() }] : []),
  ]);
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading {id} …</p>;
  const { task, why } = data;
  return (
    <div className="flex h-full flex-col">
      <div className="max-h-[55%] shrink-0 overflow-y-auto border-b border-line px-3 pt-3 pb-2 sm:px-4">
        <Head task={task} />
        <Because why={why} task={task} />
        <div className="mt-2" data-actions>
          <Answers answers={answersOf(task, why)} onAnswered={reload} />
        </div>
        <Links task={task} />
      </div>
      <div className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2 sm:px-3">
        <div role="tablist" aria-label="about the task" className="flex gap-1">
        {TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={tab === one}
            aria-controls="tab-panel"
            onClick={() => setTab(one)}
            className="border-b-2 border-transparent px-2.5 py-1.5 text-sm text-soft hover:text-ink aria-selected:border-accent aria-selected:text-ink"
          >
            {NAMES[one]}
            {one === "runs" && task.runs.length > 0 && <span className="ml-1 text-xs text-faint">{task.runs.length}</span>}
          </button>
        ))}
        </div>
        <a href={paths.review(id)} className="px-2.5 py-1.5 text-sm whitespace-nowrap text-soft hover:text-ink">
          Review <span className="text-xs text-faint">{task.changed_files.length || ""}</span>
        </a>
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="min-h-0 flex-1 overflow-y-auto">
        {tab === "log" && <Live task={task} />}
        {tab === "checks" && <Checks task={task} />}
        {tab === "runs" && <Runs runs={task.runs} onChange={reload} />}
        {tab === "said" && (
          <>
            <UnitMessages id={id} />
            <SaidToTask task={task} />
          </>
        )}
        {tab === "about" && <AboutTask task={task} onChange={reload} />}
      </div>
    </div>
  );
}

function Head({ task }: { task: Task }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
      <Sign status={task.status} />
      <h1 className="min-w-0 text-lg leading-snug font-semibold break-words">{task.title}</h1>
      <State status={task.status} reason={task.reason} />
      {task.verdict && <State status={task.verdict} />}
      <span className="text-sm text-faint">
        <code>{task.id}</code> · {projectName(task.project)}
        {task.agent && ` · ${task.agent}`} → {task.target_branch}
      </span>
      <Ago at={task.changed_at} className="text-sm text-faint" />
    </div>
  );
}

const TURNS: Record<string, string> = {
  person: "It is your turn.",
  agent: "",
  toryo: "Toryo moves it on by itself.",
  service: "A service has to come back.",
  nobody: "",
};

function Because({ why, task }: { why: Why; task: Task }) {
  const [isOpen, setOpen] = useState(false);
  useKeys("why", [{ key: "w", does: "why: the facts it stands on", run: () => setOpen(!isOpen) }]);
  return (
    <div className="mt-1.5 text-sm">
      <p className="max-w-[100ch] break-words whitespace-pre-line">
        {why.sentence}. <span className={why.turn === "person" ? "font-medium text-ask" : "text-soft"}>{TURNS[why.turn] ?? ""}</span>{" "}
        <button type="button" aria-expanded={isOpen} className="text-accent underline" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "less" : `why? ${why.facts.length} facts`}
        </button>
      </p>
      {task.checking && (
        <p className="text-soft">
          Checking {task.checking.number} of {task.checking.of}: <code>{task.checking.command}</code>
          {task.checking.attempt > 1 && `, attempt ${task.checking.attempt}`}
        </p>
      )}
      {why.waits_for.length > 0 && (
        <p className="mt-0.5 flex flex-wrap gap-x-3">
          <span className="text-faint">waits for</span>
          {why.waits_for.map((one) => (
            <span key={one.subject} className="inline-flex items-baseline gap-1">
              <a className="text-accent hover:underline" href={pathOf(one.subject) || undefined}>
                {one.subject.replace(":", " ")}
              </a>
              <State status={one.status} reason={one.reason} />
            </span>
          ))}
        </p>
      )}
      {isOpen && (
        <ul className="mt-1 grid gap-0.5 border-l-2 border-line pl-3" aria-label="facts">
          {why.facts.map((one) => (
            <li key={`${one.row} ${one.what}`} className="flex flex-wrap items-baseline gap-x-2">
              <span>{one.what}</span>
              <Ago at={one.at} className="text-xs text-faint" />
              <code className="text-xs text-faint">{one.row}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** First what its reason asks for, then what is possible in its state. */
function answersOf(task: Task, why: Why): (Answer | Elsewhere)[] {
  const found = why.actions.map((one) => answerTo(one, task.project));
  const labels = new Set(found.map((one) => one.label));
  const add = (one: Answer) => {
    if (!labels.has(one.label)) found.push(one);
  };
  const live = task.runs.filter((one) => one.live);
  const isOver = task.status === "failed" || task.status === "cancelled";
  if (live.length) add(sayAnswer(task.id, "Say", "Words for the agent, at its next step"));
  for (const one of live) add(stop(one.id));
  if (task.status === "done") add(revert(task.id));
  if (isOver) add(taskAnswer("retry", task.id));
  if (!isOver && task.status !== "done") add(taskAnswer("cancel", task.id));
  return found.filter((one) => !("href" in one && one.href === paths.task(task.id)));
}

function stop(run: string): Answer {
  return {
    label: "Stop",
    tone: "danger",
    asks: null,
    warns: "Its process ends; what it wrote is kept, and the task can be retried.",
    run: async () => {
      await call("post", "/api/runs/{run}/stop", { path: { run } });
      return `stopping ${run}`;
    },
  };
}

function revert(task: string): Answer {
  return {
    label: "Revert",
    tone: "danger",
    asks: { words: "Why? (optional)", isNeeded: false },
    warns: "A new task takes its work off the branch again, through the same checks.",
    run: async (note) => {
      const made = await call("post", "/api/tasks/{task}/revert", { path: { task }, body: { note } });
      const later = made.builds_on_it.map((one) => one.title).join(", ");
      return `${made.id} reverts it${later ? `; built on it since: ${later}` : ""}`;
    },
  };
}

function Links({ task }: { task: Task }) {
  const rows: [string, readonly string[]][] = [
    ["part of", task.parent ? [task.parent] : []],
    ["after", task.dependencies],
    ["parts", task.children.map((one) => one.id)],
  ];
  if (!rows.some(([, ids]) => ids.length) && !task.mission) return null;
  return (
    <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {task.mission && (
        <div className="flex gap-1.5">
          <dt className="text-faint">mission</dt>
          <dd>
            <a className="text-accent hover:underline" href={paths.mission(task.mission)}>
              {task.mission}
            </a>
          </dd>
        </div>
      )}
      {rows
        .filter(([, ids]) => ids.length)
        .map(([name, ids]) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt className="text-faint">{name}</dt>
            {ids.map((one) => (
              <dd key={one} className="min-w-0">
                <TaskLink id={one} />
              </dd>
            ))}
          </div>
        ))}
    </dl>
  );
}

/** The stream of its newest run; of one in a terminal also its screen. */
function Live({ task }: { task: Task }) {
  const [chosen, setChosen] = useState("");
  const [isScreen, setScreen] = useState(false);
  const newest = task.runs.at(-1);
  const run = task.runs.find((one) => one.id === chosen) ?? newest;
  if (!run) return <p className="p-4 text-soft">No run of it was started yet{task.waiting_for ? `: it waits for ${task.waiting_for}` : ""}.</p>;
  return (
    <div className="flex h-full min-h-64 flex-col">
      <div className="flex flex-wrap items-center gap-2 px-2 py-1 text-xs text-soft">
        {task.runs.length > 1 && (
          <select aria-label="run" className="field h-6 w-auto py-0 text-xs" value={run.id} onChange={(event) => setChosen(event.target.value)}>
            {task.runs.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id} · {one.purpose} · {one.live ? "live" : one.outcome}
              </option>
            ))}
          </select>
        )}
        {run.live && (
          <span role="group" aria-label="kind of view" className="flex gap-1">
            <button type="button" aria-pressed={!isScreen} className="rounded px-1.5 aria-pressed:bg-pick aria-pressed:text-ink" onClick={() => setScreen(false)}>
              stream
            </button>
            <button type="button" aria-pressed={isScreen} className="rounded px-1.5 aria-pressed:bg-pick aria-pressed:text-ink" onClick={() => setScreen(true)}>
              screen
            </button>
          </span>
        )}
        {run.silent_since && run.live && (
          <span className="text-wait">
            silent since <Ago at={run.silent_since} /> ago
          </span>
        )}
      </div>
      {isScreen && run.live ? (
        <Suspense fallback={<p className="p-3 text-faint">Loading the terminal …</p>}>
          <Screen run={run.id} />
        </Suspense>
      ) : (
        <LogView key={run.id} run={run.id} className="flex-1" />
      )}
    </div>
  );
}
