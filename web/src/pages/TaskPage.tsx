// Task: why it is as it is, what it stands on, its runs and their logs, and what a person may do about it.
import { useEffect, useState } from "react";

import { call, type Views } from "../api/client";
import { onDemand } from "../parts/Boundary";
import { Answers, press, useBack } from "../parts/Answers";
import { LogView } from "../parts/LogView";
import { Sign, State, words } from "../parts/marks";
import { newDialog } from "../parts/NewDialog";
import { Failure } from "../parts/said";
import { TaskLink } from "../parts/TaskLink";
import { Ago } from "../parts/time";
import { capital, withoutLines } from "../parts/words";
import { useKeys } from "../state/keys";
import { useLoaded } from "../state/loaded";
import { answersToTask } from "../state/taskAnswers";
import { missions } from "../state/missions";
import { projectName } from "../state/projects";
import { go, pathOf, paths } from "../state/route";
import { AboutTask } from "./AboutTask";
import { Checks } from "./Checks";
import { DoneBy } from "./DoneBy";
import { Runs } from "./Runs";
import { SaidToTask } from "./SaidToTask";
import { UnitMessages } from "./UnitMessages";

const Screen = onDemand("The terminal", () => import("../parts/Screen"));

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
    { key: "a", does: "approve", run: () => press("[data-actions]", "a") },
    { key: "x", does: "reject, with a reason", run: () => press("[data-actions]", "x") },
    { key: "m", does: "say something to its agent", run: () => press("[data-actions]", "m") },
    { key: "f", does: "a task after this one", run: () => newDialog.set({ kind: "task", after: id }) },
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
          <Answers answers={answersToTask(task, why)} onAnswered={reload} />
        </div>
        <Links task={task} />
      </div>
      <div className="flex shrink-0 overflow-x-auto border-b border-line px-1 sm:gap-1 sm:px-3">
        <div role="tablist" aria-label="about the task" className="flex sm:gap-1">
          {TABS.map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              id={`tab-${one}`}
              aria-selected={tab === one}
              aria-controls="tab-panel"
              onClick={() => setTab(one)}
              className="border-b-2 border-transparent px-1.5 py-1.5 text-sm whitespace-nowrap text-soft sm:px-2.5 hover:text-ink aria-selected:border-accent aria-selected:text-ink"
            >
              {NAMES[one]}
              {one === "runs" && task.runs.length > 0 && <span className="ml-1 hidden text-xs text-faint sm:inline">{task.runs.length}</span>}
            </button>
          ))}
        </div>
        <a href={paths.review(id)} className="px-1.5 py-1.5 text-sm whitespace-nowrap text-soft hover:text-ink sm:px-2.5">
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
        <code>{task.id}</code> {task.unit && <code title="its place in the tree of units">· {task.unit} </code>}· {projectName(task.project)}
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
  // its own run is below, with its log
  const waits = why.waits_for.filter((one) => !one.subject.startsWith("run:"));
  useKeys("why", [{ key: "w", does: "why: the facts it stands on", run: () => setOpen(!isOpen) }]);
  return (
    <div className="mt-1.5 text-sm">
      {task.status === "done" && <DoneBy task={task} />}
      <p className="max-w-[100ch] break-words whitespace-pre-line">
        {task.status !== "done" && `${capital(withoutLines(why.sentence))}. `}
        <span className={why.turn === "person" ? "font-medium text-ask" : "text-soft"}>{TURNS[why.turn] ?? ""}</span>{" "}
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
      {waits.length > 0 && (
        <p className="mt-0.5 flex flex-wrap gap-x-3">
          <span className="text-faint">waits for</span>
          {waits.map((one) => (
            <span key={one.subject} className="inline-flex items-baseline gap-1">
              <Waited link={one} />
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

/** A task by its title; anything else by its name, as a link where it has a page. */
function Waited({ link }: { link: Why["waits_for"][number] }) {
  const [kind = "", ...rest] = link.subject.split(":");
  if (kind === "task") return <TaskLink id={rest.join(":")} />;
  const href = pathOf(link.subject);
  const name = `${words(kind)} ${rest.join(":")}`;
  return (
    <>
      {href ? (
        <a className="text-accent hover:underline" href={href}>
          {name}
        </a>
      ) : (
        <span>{name}</span>
      )}
      <State status={link.status} reason={link.reason} />
    </>
  );
}

function Links({ task }: { task: Task }) {
  const rows: [string, readonly string[]][] = [
    ["part of", task.parent ? [task.parent] : []],
    ["after", task.dependencies],
    ["parts", task.children.map((one) => one.id)],
  ];
  const mission = missions.get()?.find((one) => one.id === task.mission)?.title;
  return (
    <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {task.mission && (
        <div className="flex gap-1.5">
          <dt className="text-faint">mission</dt>
          <dd>
            <a className="text-accent hover:underline" href={paths.mission(task.mission)} title={task.mission}>
              {mission || task.mission}
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
      <div>
        <dt className="sr-only">next</dt>
        <dd>
          <button type="button" className="text-accent hover:underline" title="f" onClick={() => newDialog.set({ kind: "task", after: task.id })}>
            + a task after this one
          </button>
        </dd>
      </div>
    </dl>
  );
}

/** Whether there is a screen to look at: its agent works in a terminal. */
function useHasWindow(run: Task["runs"][number] | undefined, project: string): boolean {
  const agent = run?.live && run.coordinator ? run.agent : "";
  const [has, setHas] = useState(false);
  useEffect(() => {
    if (!agent) return setHas(false);
    let isWanted = true;
    call("get", "/api/agents/{agent}", { path: { agent }, query: { project } }).then(
      ({ agent: found }) => isWanted && setHas(found.terminal !== "plain"),
      () => undefined, // one that was removed meanwhile: the stream is there
    );
    return () => {
      isWanted = false;
    };
  }, [agent, project]);
  return has;
}

/** The stream of its newest run; of one in a terminal also its screen. */
function Live({ task }: { task: Task }) {
  const [chosen, setChosen] = useState("");
  const [isScreen, setScreen] = useState(false);
  const newest = task.runs.at(-1);
  const run = task.runs.find((one) => one.id === chosen) ?? newest;
  const hasWindow = useHasWindow(run, task.project);
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
        {run.live && hasWindow && (
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
      {isScreen && run.live && hasWindow ? (
        <Screen run={run.id} />
      ) : (
        <LogView key={run.id} run={run.id} className="flex-1" />
      )}
    </div>
  );
}
