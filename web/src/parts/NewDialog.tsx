// New task or new mission, from every page; what was typed stays until it is sent.
import { useEffect, useState, type ReactNode } from "react";

import { call, type Views } from "../api/client";
import { chosenProject, projects } from "../state/projects";
import { go, paths } from "../state/route";
import { signal, useSignal } from "../state/signal";
import { Dialog } from "./dialog";
import { doIt } from "./said";

export interface Begun {
  kind?: "task" | "mission";
  /** Id of the completed mission that the new one goes on from. */
  follow?: string;
  after?: string;
}
/** Null: it is closed. */
export const newDialog = signal<Begun | null>(null);

const EMPTY = { kind: "task" as "task" | "mission", project: "", title: "", description: "", agent: "", after: "", write: "", checks: "", priority: "medium", held: false, text: "", onto: "", approval: "", tokens: "", planOnly: false };
let draft = EMPTY;

const listOf = (text: string, by: RegExp): string[] => text.split(by).map((one) => one.trim()).filter(Boolean);

export function NewDialog({ begun, onClose }: { begun: Begun; onClose: () => void }) {
  const all = useSignal(projects);
  const [form, setForm] = useState({
    ...draft,
    kind: begun.kind ?? (begun.follow ? "mission" : draft.kind),
    after: begun.after ?? draft.after,
    project: draft.project || chosenProject.get() || (all[0]?.id ?? ""),
  });
  const [agents, setAgents] = useState<Views["AgentView"][]>([]);
  const [isBusy, setBusy] = useState(false);
  const put = (change: Partial<typeof form>) =>
    setForm((was) => {
      draft = { ...was, ...change };
      return draft;
    });
  const project = form.project || all[0]?.id || "";
  useEffect(() => {
    if (project) call("get", "/api/agents", { query: { project } }).then((found) => setAgents(found.agents), () => setAgents([]));
  }, [project]);

  const isTask = form.kind === "task";
  const may = !isBusy && (isTask ? form.title : form.text).trim() !== "";
  const send = async () => {
    if (!may) return;
    setBusy(true);
    const to = await doIt(() => (isTask ? addTask({ ...form, project }) : startMission({ ...form, project }, begun.follow ?? "")));
    setBusy(false);
    if (!to) return;
    draft = { ...EMPTY, kind: form.kind, project };
    onClose();
    go(to);
  };
  return (
    <Dialog title={begun.follow ? `Go on from ${begun.follow}` : "New"} onClose={onClose} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        }}
      >
        <div className="mb-3 flex flex-wrap items-end gap-3">
          {!begun.follow && (
            <div role="radiogroup" aria-label="kind" className="inline-flex rounded-md border border-edge p-0.5">
              {(["task", "mission"] as const).map((one) => (
                <label key={one} className="rounded px-3 py-1 text-sm text-soft has-checked:bg-accent has-checked:text-on-accent has-focus-visible:outline-2">
                  <input type="radio" name="kind" className="sr-only" checked={form.kind === one} onChange={() => put({ kind: one })} />
                  {one === "task" ? "Task" : "Mission"}
                </label>
              ))}
            </div>
          )}
          <Labelled label="Project" className="min-w-40 flex-1">
            <select className="field" value={project} onChange={(event) => put({ project: event.target.value, agent: "" })}>
              {all.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </Labelled>
        </div>
        {isTask ? <TaskFields form={form} put={put} agents={agents} /> : <MissionFields form={form} put={put} />}
        <div className="mt-4 flex items-center gap-3">
          <button type="submit" className="btn btn-main" disabled={!may}>
            {isTask ? "Add the task" : "Start the mission"}
          </button>
          <span className="hidden text-xs text-faint sm:inline">Ctrl+Enter sends · Esc keeps what you typed</span>
        </div>
      </form>
    </Dialog>
  );
}

type Form = typeof EMPTY;
type Put = (change: Partial<Form>) => void;

async function addTask(form: Form): Promise<string> {
  const write = listOf(form.write, /[\s,]+/);
  const body = {
    project: form.project,
    title: form.title.trim(),
    description: form.description,
    agent: form.agent,
    priority: form.priority as "medium",
    after: listOf(form.after, /[\s,]+/),
    checks: listOf(form.checks, /\n/),
    held: form.held,
    ...(write.length ? { write } : {}),
  };
  const added = await call("post", "/api/tasks", { body: body as never });
  return paths.task(added.id);
}

async function startMission(form: Form, follow: string): Promise<string> {
  const tokens = Number(form.tokens);
  const body = {
    project: form.project,
    text: form.text.trim(),
    onto: form.onto.trim(),
    approval: form.approval as "plan",
    plan_only: form.planOnly,
    ...(follow ? { follow } : {}),
    ...(form.tokens.trim() && Number.isFinite(tokens) ? { budget: { tokens } } : {}),
  };
  const started = await call("post", "/api/missions", { body: body as never });
  return paths.mission(started.mission);
}

export function Labelled({ label, children, className = "", hint = "" }: { label: string; children: ReactNode; className?: string; hint?: string }) {
  return (
    <label className={`block ${className}`}>
      <span className="mb-0.5 block text-xs text-soft">
        {label} {hint && <span className="text-faint">· {hint}</span>}
      </span>
      {children}
    </label>
  );
}

function TaskFields({ form, put, agents }: { form: Form; put: Put; agents: Views["AgentView"][] }) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Labelled label="What is to be done, in one line" className="sm:col-span-2">
        <input data-first className="field" value={form.title} onChange={(event) => put({ title: event.target.value })} />
      </Labelled>
      <Labelled label="All that the agent must know" hint="it sees no other task" className="sm:col-span-2">
        <textarea rows={5} className="field" value={form.description} onChange={(event) => put({ description: event.target.value })} />
      </Labelled>
      <Labelled label="Agent">
        <select className="field" value={form.agent} onChange={(event) => put({ agent: event.target.value })}>
          <option value="">the project's default</option>
          {agents.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
              {one.status === "active" ? "" : ` (${one.status})`}
            </option>
          ))}
        </select>
      </Labelled>
      <Labelled label="Priority">
        <select className="field" value={form.priority} onChange={(event) => put({ priority: event.target.value })}>
          {["critical", "high", "medium", "low"].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Labelled>
      <Labelled label="Starts after" hint="ids of tasks">
        <input className="field mono" value={form.after} onChange={(event) => put({ after: event.target.value })} />
      </Labelled>
      <Labelled label="May change only" hint="globs; empty: anything">
        <input className="field mono" placeholder="src/** tests/**" value={form.write} onChange={(event) => put({ write: event.target.value })} />
      </Labelled>
      <Labelled label="Checks of its own" hint="one command a line; each must exit 0" className="sm:col-span-2">
        <textarea rows={2} className="field mono" value={form.checks} onChange={(event) => put({ checks: event.target.value })} />
      </Labelled>
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={form.held} onChange={(event) => put({ held: event.target.checked })} /> hold it until I approve it
      </label>
    </div>
  );
}

function MissionFields({ form, put }: { form: Form; put: Put }) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Labelled label="What do you want?" hint="the planner asks at most once, then shows a plan" className="sm:col-span-2">
        <textarea data-first rows={5} className="field" value={form.text} onChange={(event) => put({ text: event.target.value })} />
      </Labelled>
      <Labelled label="Branch it starts from and lands on" hint="empty: the project's base">
        <input className="field mono" value={form.onto} onChange={(event) => put({ onto: event.target.value })} />
      </Labelled>
      <Labelled label="Who starts the tasks of its plan">
        <select className="field" value={form.approval} onChange={(event) => put({ approval: event.target.value })}>
          <option value="">as the project says</option>
          <option value="plan">I approve the plan</option>
          <option value="each">I approve each task</option>
          <option value="auto">nobody needs to</option>
        </select>
      </Labelled>
      <Labelled label="Budget in tokens" hint="empty: as the project says">
        <input className="field" inputMode="numeric" value={form.tokens} onChange={(event) => put({ tokens: event.target.value })} />
      </Labelled>
      <label className="flex items-center gap-2 self-end pb-1.5 text-sm">
        <input type="checkbox" checked={form.planOnly} onChange={(event) => put({ planOnly: event.target.checked })} /> only the plan for now
      </label>
    </div>
  );
}
