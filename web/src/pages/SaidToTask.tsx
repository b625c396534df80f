// Words about a task in their order: a person's verdicts, what was said to its agents, and what those claim.
import { useMemo } from "react";

import type { Views } from "../api/client";
import { words } from "../parts/marks";
import { Ago } from "../parts/time";

type Task = Views["TaskView"];

export function SaidToTask({ task }: { task: Task }) {
  const said = useMemo(() => {
    const found: { at: string | null; who: string; text: string; more: string }[] = [];
    for (const one of task.verbs) found.push({ at: one.at, who: "a person", text: words(one.verb) + (one.note ? `: ${one.note}` : ""), more: one.reason && `about ${words(one.reason)}` });
    for (const run of task.runs) {
      for (const one of run.words) found.push({ at: one.said_at, who: `to ${run.agent}`, text: one.text, more: `${one.state}${one.detail ? `: ${one.detail}` : ""}` });
      if (run.last_words) found.push({ at: run.ended_at, who: run.agent, text: run.last_words, more: "its last words" });
    }
    for (const one of task.claims) found.push({ at: one.at, who: "its agent claims", text: [one.result, one.summary, one.next_steps].filter(Boolean).join("\n"), more: one.late ? "too late" : "a claim, not a fact" });
    return found.sort((one, other) => (one.at ?? "").localeCompare(other.at ?? ""));
  }, [task]);
  if (!said.length) return <p className="p-4 text-soft">Nobody has said anything about it.</p>;
  return (
    <ol className="divide-y divide-line">
      {said.map((one, at) => (
        <li key={at} className="grid gap-x-4 px-3 py-2 sm:grid-cols-[9rem_1fr] sm:px-4">
          <span className="text-sm text-soft">
            {one.who} <Ago at={one.at} className="text-xs text-faint" />
          </span>
          <span className="min-w-0 break-words whitespace-pre-wrap">
            {one.text} <span className="text-xs text-faint">{one.more}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
