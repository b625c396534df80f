// Agents of a project: each with its role, model, slots and prompt, and what a person may change about it.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { Answers } from "../parts/Answers";
import { TaskLink } from "../parts/TaskLink";
import type { Answer } from "../state/answers";
import { AgentForm } from "./AgentForm";

type Agent = Views["AgentView"];
type Project = Views["ProjectView"];
type Member = Views["CrewMember"];

interface Props {
  project: Project;
  agents: Agent[];
  members: Member[];
  /** By id of a run. */
  tasks: ReadonlyMap<string, string>;
  onChange: () => void;
}

/** Its own agent of a name counts before the installation's. */
function agentsOf(project: Project, agents: Agent[]): Agent[] {
  const here = agents.filter((one) => one.projects.includes(project.id) || one.project === project.id);
  const own = new Set(here.filter((one) => one.project === project.id).map((one) => one.id));
  return here.filter((one) => one.project === project.id || !own.has(one.id));
}

export function ProjectCrew({ project, agents, members, tasks, onChange }: Props) {
  const [isAdding, setAdding] = useState(false);
  const here = agentsOf(project, agents);
  const names = new Set(here.map((one) => one.id));
  const elsewhere = agents.filter((one) => !one.project && !names.has(one.id));
  const isArchived = project.status !== "active";
  return (
    <section className="card overflow-hidden" aria-label={`crew of ${project.name}`} data-project={project.id}>
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-3 py-2">
        <h2 className="font-semibold">{project.name}</h2>
        <code className="min-w-0 text-xs break-all text-faint">{project.path}</code>
        <span className="text-xs text-faint">lands on {project.base}</span>
        {isArchived && <span className="text-xs text-wait">{project.status}</span>}
        <span className="ml-auto">
          <Answers answers={projectAnswers(project)} onAnswered={onChange} />
        </span>
      </header>
      {project.settings_problem && <p className="bg-wait-wash px-3 py-1.5 text-sm text-wait">{project.settings_problem}</p>}
      <p className="border-b border-line px-3 py-1 text-xs break-words text-faint">
        {project.checks.length ? (
          <>
            checks: <code>{project.checks.join(" · ")}</code>
          </>
        ) : (
          "It has no checks: what lands is unchecked."
        )}
      </p>
      <ul className="divide-y divide-line">
        {here.map((one) => (
          <AgentRow key={one.id} agent={one} project={project} member={members.find((other) => other.id === one.id && (other.project ?? null) === one.project)} tasks={tasks} onChange={onChange} />
        ))}
        {here.length === 0 && <li className="px-3 py-2 text-sm text-ask">No agent works here: its tasks wait.</li>}
      </ul>
      <footer className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
        <button type="button" className="btn" aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
          New agent
        </button>
        {elsewhere.length > 0 && (
          <Answers
            answers={elsewhere.map((one) => ({
              label: `Assign ${one.name}`,
              tone: "plain",
              asks: null,
              run: async () => {
                await call("post", "/api/agents/{agent}/assign", { path: { agent: one.id }, body: { project: project.id, default: false } });
                return `${one.name} works in ${project.name}`;
              },
            }))}
            onAnswered={onChange}
          />
        )}
        {isAdding && (
          <AgentForm
            project={project.id}
            onDone={() => {
              setAdding(false);
              onChange();
            }}
          />
        )}
      </footer>
    </section>
  );
}

function projectAnswers(project: Project): Answer[] {
  const path = { project: project.id };
  if (project.status !== "active") {
    return [{ label: "Activate", tone: "main", asks: null, run: async () => (await call("post", "/api/projects/{project}/activate", { path }), "activated") }];
  }
  return [
    { label: "Sync", tone: "plain", asks: null, run: async () => {
      const found = await call("post", "/api/projects/{project}/sync", { path });
      const told = [...found.added.map((one) => `${one} added`), ...found.changed.map((one) => `${one} changed`)];
      return told.join(", ") || "its agents are as its files say";
    } },
    { label: "Archive", tone: "danger", asks: null, warns: "Nothing of it starts any more until it is activated again.", run: async () => (await call("post", "/api/projects/{project}/archive", { path }), "archived") },
  ];
}

function AgentRow({ agent, project, member, tasks, onChange }: { agent: Agent; project: Project; member: Member | undefined; tasks: ReadonlyMap<string, string>; onChange: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const isDefault = project.default_agent === agent.id;
  const isOff = agent.status !== "active" && agent.status !== "enabled";
  const busy = member?.runs.length ?? 0;
  return (
    <li className="px-3 py-2" data-agent={agent.id}>
      <div className="flex flex-wrap items-baseline gap-x-2.5">
        <span className={`size-2 self-center rounded-full ${isOff ? "bg-edge" : busy ? "bg-go" : "bg-done"}`} aria-hidden />
        <span className="font-medium">{agent.name}</span>
        {isDefault && <span className="rounded bg-pick px-1.5 text-xs text-soft">default</span>}
        <span className={`text-xs ${isOff ? "text-wait" : "text-faint"}`}>{isOff ? agent.status : busy ? `${busy} at work` : "free"}</span>
        <span className="text-sm text-soft">
          {[agent.role, agent.client ?? "another program starts it", agent.model].filter(Boolean).join(" · ")}
        </span>
        <span className="text-xs text-faint sm:ml-auto">
          {agent.warnings.length > 0 && (
            <button type="button" className="text-accent hover:underline" title="It has no prompt of its own: tell it your rules" onClick={() => setOpen(true)}>
              no prompt yet
            </button>
          )}
          {agent.warnings.length > 0 && " · "}
          {agent.slots ? `${agent.slots} at once` : "no limit"} · {agent.access}
        </span>
        <button type="button" aria-expanded={isOpen} className="text-xs text-accent" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "less" : "change"}
        </button>
      </div>
      {(member?.runs ?? []).length > 0 && (
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm">
          {member?.runs.map((one) => {
            const task = tasks.get(one);
            return task ? <TaskLink key={one} id={task} /> : <code key={one}>{one}</code>;
          })}
        </p>
      )}
      {isOpen && (
        <div className="mt-2 grid gap-3">
          <Answers answers={agentAnswers(agent, project, isOff, isDefault)} onAnswered={onChange} />
          <AgentForm agent={agent} project={project.id} onDone={onChange} />
        </div>
      )}
    </li>
  );
}

function agentAnswers(agent: Agent, project: Project, isOff: boolean, isDefault: boolean): Answer[] {
  const path = { agent: agent.id };
  const body = { project: project.id };
  const plain = (label: string, words: string, run: () => Promise<unknown>, warns?: string): Answer => ({
    label,
    tone: warns ? "danger" : "plain",
    asks: null,
    ...(warns ? { warns } : {}),
    run: async () => {
      await run();
      return words;
    },
  });
  const found: Answer[] = [
    isOff
      ? plain("Enable", `${agent.name} is enabled`, () => call("post", "/api/agents/{agent}/enable", { path, body }))
      : plain("Disable", `${agent.name} is disabled`, () => call("post", "/api/agents/{agent}/disable", { path, body })),
  ];
  if (!isDefault)
    found.push(plain("Make it the default", `${agent.name} is the default`, () => call("post", "/api/agents/{agent}/assign", { path, body: { ...body, default: true } })));
  found.push(
    plain("Unassign", `${agent.name} no longer works here`, () => call("post", "/api/agents/{agent}/unassign", { path, body }), "It starts nothing more here; what runs goes on."),
    {
      ...plain("End outside sessions", "", () => Promise.resolve(), "Agents of this name that somebody else started here are no longer counted as at work."),
      run: async () => {
        const ended = await call("post", "/api/agents/{agent}/end-session", { path, body: { ...body, session: "" } });
        return ended.ended === 1 ? "1 session ended" : `${ended.ended} sessions ended`;
      },
    },
  );
  return found;
}

