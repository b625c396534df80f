// Runs of a task: each with its purpose, its end, what it cost and what it left.
import { call, type Views } from "../api/client";
import { Answers } from "../parts/Answers";
import { State } from "../parts/marks";
import { Ago, duration } from "../parts/time";
import { counted } from "../parts/words";
import type { Answer } from "../state/answers";

type Run = Views["RunView"];

export function Runs({ runs, onChange }: { runs: Run[]; onChange: () => void }) {
  if (!runs.length) return <p className="p-4 text-soft">No run of it was started yet.</p>;
  return (
    <ol className="divide-y divide-line">
      {[...runs].reverse().map((one) => (
        <li key={one.id} className="px-3 py-2.5 sm:px-4">
          <Line run={one} />
          <Facts run={one} />
          {one.live && one.outcome === "unknown" && <Answers answers={[release(one.id)]} onAnswered={onChange} />}
        </li>
      ))}
    </ol>
  );
}

function release(run: string): Answer {
  return {
    label: "Release",
    tone: "danger",
    asks: null,
    warns: "Its machine does not answer. Released, the task may run elsewhere while the old run still works there.",
    run: async () => {
      await call("post", "/api/runs/{run}/release", { path: { run } });
      return `released ${run}`;
    },
  };
}

function Line({ run }: { run: Run }) {
  const took = run.started_at && run.ended_at ? (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000 : null;
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <code className="text-sm">{run.id}</code>
      <span className="font-medium">{run.purpose}</span>
      <State status={run.outcome} reason={run.reason || (run.exit_code ? `exit ${run.exit_code}` : "") || (run.signal ?? "")} />
      <span className="text-sm text-soft">
        {run.agent} · {run.client}
        {run.model && ` · ${run.model}`}
      </span>
      <span className="text-sm text-faint">
        <Ago at={run.started_at} />
        {took !== null && ` · took ${duration(took)}`}
      </span>
      <Usage of={run.usage} />
    </div>
  );
}

function Usage({ of }: { of: Run["usage"] }) {
  if (!of) return <span className="text-sm text-faint">usage unknown</span>;
  const tokens = (of.input_tokens ?? 0) + (of.output_tokens ?? 0);
  return (
    <span className="text-sm text-faint tabular-nums">
      {of.turns !== null && `${counted(of.turns, "turn")} · `}
      {counted(tokens, "token")}{of.cached_tokens ? ` (${of.cached_tokens.toLocaleString("en")} cached)` : ""}
      {of.cost_usd === null ? " · cost unknown" : ` · ${of.cost_usd.toFixed(4)} USD`}
    </span>
  );
}

function Facts({ run }: { run: Run }) {
  const told: [string, string][] = [
    ["commits", run.log.map((one) => `${one.id.slice(0, 9)} ${one.subject}`).join("\n")],
    ["files", run.changed_files.join("  ")],
    ["left uncommitted", run.uncommitted.join("  ")],
    ["may not touch", run.violations.map((one) => `${one.path} (${one.rule})`).join("  ")],
    ["changed around it", run.foreign.map((one) => `${one.what} ${one.name}`).join("  ")],
    ["was denied", run.denied.join("\n")],
    ["ended with it", run.children_killed.join("  ")],
    ["snapshot", run.snapshot ?? ""],
    ["asks", run.asks ?? ""],
    ["message", run.message ?? ""],
  ];
  const shown = told.filter(([, text]) => text);
  if (!shown.length) return null;
  return (
    <dl className="mt-1 grid gap-x-4 text-sm sm:grid-cols-[8.5rem_1fr]">
      {shown.map(([name, text]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="mono min-w-0 break-words whitespace-pre-wrap">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
