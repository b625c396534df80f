// Plan of a mission, whole: its faults, its tasks with what each waits for, its spec.
import { useState } from "react";

import type { Views } from "../api/client";
import { Sign, State } from "../parts/marks";
import { Markdown } from "../parts/Markdown";
import { counted, withoutLines } from "../parts/words";
import { paths } from "../state/route";

type Planned = Views["PlannedTaskView"];

export function Plan({ plan, mission }: { plan: Views["PlanView"]; mission: Views["MissionView"] }) {
  const done = plan.tasks.filter((one) => one.status === "done").length;
  const state = plan.rejected !== null ? `rejected: “${plan.rejected}”` : plan.approved_at ? "approved" : "waits for your yes";
  return (
    <section aria-label="plan">
      <div className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 className="heading">Plan · version {plan.version}</h2>
        <span className="text-sm text-soft">{state}</span>
        <span className="text-sm text-faint">
          {done} of {counted(plan.tasks.length, "task")} done{plan.parallelism > 0 && plan.parallelism !== mission.parallelism && ` · ${plan.parallelism} at once`}
        </span>
      </div>
      <Told name="Faults: it cannot be started like this" lines={plan.faults} look="text-fail" />
      <Told
        name="Findings of its analysis"
        lines={plan.findings.map((one) => `${one.fatal ? "fatal · " : ""}${one.where}: ${one.text}`)}
        look={plan.findings.some((one) => one.fatal) ? "text-fail" : "text-soft"}
      />
      <Told name="Notes" lines={plan.notes} look="text-soft" />
      <ol className="card mb-4 divide-y divide-line" aria-label="tasks of the plan">
        {plan.tasks.map((one) => (
          <Entry key={one.id} task={one} all={plan.tasks} />
        ))}
      </ol>
      <Text name="Specification" text={plan.spec} isOpen={!plan.approved_at} />
      <Text name="How" text={plan.plan} isOpen={!plan.approved_at} />
      <p className="mt-2 text-sm text-faint">Asked for: “{mission.text}”</p>
    </section>
  );
}

function Told({ name, lines, look }: { name: string; lines: readonly string[]; look: string }) {
  if (!lines.length) return null;
  return (
    <div className="mb-3">
      <h3 className="heading mb-0.5">{name}</h3>
      <ul className={`text-sm ${look}`}>
        {lines.map((one) => (
          <li key={one} className="break-words">
            {one}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Entry({ task, all }: { task: Planned; all: readonly Planned[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="px-3 py-1.5" data-planned={task.id} id={`planned-${task.id}`}>
      <div className="flex items-baseline gap-x-2">
        <Sign status={task.status ?? "open"} />
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <code className="text-xs text-faint">{task.id}</code>
          {task.task ? (
            <a href={paths.task(task.task)} className="min-w-0 break-words hover:underline">
              {task.title}
            </a>
          ) : (
            <span className="min-w-0 break-words">{task.title}</span>
          )}
          {task.status && <State status={task.status} reason={task.reason} />}
          {task.unit && (
            <span className="text-xs text-soft" title="It may divide its work among units of its own.">
              unit
            </span>
          )}
          {task.depends_on.length > 0 && (
            <span className="flex flex-wrap gap-x-1.5 text-xs text-faint">
              after
              {task.depends_on.map((one) => (
                <Needed key={one} id={one} all={all} />
              ))}
            </span>
          )}
        </div>
        <button type="button" aria-expanded={isOpen} className="shrink-0 text-xs text-accent" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "less" : "more"}
        </button>
      </div>
      {task.detail && !(task.reason.startsWith("dependency") && task.depends_on.length > 0) && <p className="pl-7 text-sm break-words text-soft">{withoutLines(task.detail)}</p>}
      {isOpen && (
        <dl className="mt-1 ml-7 grid gap-x-4 gap-y-0.5 text-sm sm:grid-cols-[7rem_1fr]">
          {(
            [
              ["what", task.description],
              ["may change", task.write?.join(" ") ?? "unknown"],
              ["changed", task.touched.join(" ")],
              ["checks", task.checks.join(" · ")],
              ["agent", task.agent ?? "the project's default"],
              ["worktree", task.worktree],
              ["story", task.story ?? ""],
            ] as const
          )
            .filter(([, text]) => text)
            .map(([name, text]) => (
              <div key={name} className="contents">
                <dt className="text-faint">{name}</dt>
                <dd className="min-w-0 break-words whitespace-pre-wrap">{text}</dd>
              </div>
            ))}
        </dl>
      )}
    </li>
  );
}

function Needed({ id, all }: { id: string; all: readonly Planned[] }) {
  const there = all.find((one) => one.id === id);
  return there?.task ? (
    <a className="text-accent hover:underline" href={paths.task(there.task)} title={there.title}>
      {id}
    </a>
  ) : (
    <button
      type="button"
      className="text-accent hover:underline"
      title={there?.title ?? ""}
      onClick={() => document.getElementById(`planned-${id}`)?.scrollIntoView({ block: "center", behavior: "smooth" })}
    >
      {id}
    </button>
  );
}

function Text({ name, text, isOpen }: { name: string; text: string; isOpen: boolean }) {
  if (!text.trim()) return null;
  return (
    <details className="card mb-2 px-3 py-2" open={isOpen}>
      <summary className="heading cursor-pointer">{name}</summary>
      <div className="pt-2">
        <Markdown text={text} />
      </div>
    </details>
  );
}
