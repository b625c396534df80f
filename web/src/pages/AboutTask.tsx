// Settings of a task, what it cost, and the form that changes it.
import type { ReactNode } from "react";

import type { Views } from "../api/client";
import { duration } from "../parts/time";
import { paths } from "../state/route";
import { ChangeTask } from "./ChangeTask";

type Task = Views["TaskView"];

export function AboutTask({ task, onChange }: { task: Task; onChange: () => void }) {
  const cost = task.runs.reduce((sum, one) => sum + (one.usage?.cost_usd ?? 0), 0);
  const known = task.runs.filter((one) => one.usage).length;
  const tokens = task.runs.reduce((sum, one) => sum + (one.usage?.input_tokens ?? 0) + (one.usage?.output_tokens ?? 0), 0);
  const rows: [string, ReactNode][] = [
    ["priority", task.priority],
    ["type", task.type],
    ["may change", task.write?.join(" ") ?? "anything"],
    ["checks of its own", task.checks.join(" · ") || "none"],
    ["limit of a run", task.timeout_s ? duration(task.timeout_s) : "the project's"],
    ["changed files", task.changed_files.join("  ") || "none yet"],
    ["branch", task.branch],
    ["landed as", task.landed_commit ?? "not landed"],
    ["worktree", task.status === "done" || task.status === "cancelled" ? "removed" : task.worktree || "none"],
    ["usage", known ? `${tokens.toLocaleString("en")} tokens${cost ? `, ${cost.toFixed(4)} USD` : ", cost unknown"} in ${known} of ${task.runs.length} runs` : "unknown"],
  ];
  return (
    <div className="grid gap-4 p-3 sm:p-4">
      {task.description && <p className="max-w-[85ch] break-words whitespace-pre-wrap">{task.description}</p>}
      <dl className="grid gap-x-4 text-sm sm:gap-y-1 sm:grid-cols-[10rem_1fr]">
        {rows.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd className="mono mb-2 min-w-0 break-words sm:mb-0">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm">
        <a className="text-accent underline" href={paths.eventsOf(task.id)}>
          its events
        </a>
      </p>
      {task.status !== "done" && task.status !== "cancelled" && <ChangeTask task={task} onChange={onChange} />}
    </div>
  );
}
