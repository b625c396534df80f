// Checks of a task: what the gate saw, with the output, and the same checks once more.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { spans } from "../parts/ansi";
import { State } from "../parts/marks";
import { doIt, Failure } from "../parts/said";
import { Ago, duration } from "../parts/time";
import { counted } from "../parts/words";
import { useLoaded } from "../state/loaded";

type Task = Views["TaskView"];

export function Checks({ task }: { task: Task }) {
  const { data, error } = useLoaded(
    task.id,
    () => call("get", "/api/tasks/{task}/evidence", { path: { task: task.id } }),
    (message) => (message.type === "task_update" || message.type === "task_changed") && message.task_id === task.id,
  );
  const [again, setAgain] = useState<Views["Verified"] | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading the evidence …</p>;
  const verify = async () => {
    setBusy(true);
    setAgain((await doIt(() => call("post", "/api/tasks/{task}/verify", { path: { task: task.id } }))) ?? null);
    setBusy(false);
  };
  return (
    <div className="grid gap-3 p-3 sm:p-4">
      <div className="flex flex-wrap items-center gap-3 text-sm">
        {data.verdict ? <State status={data.verdict} /> : <span className="text-soft">No verdict yet.</span>}
        {data.tree && (
          <span className="text-faint">
            on tree <code>{data.tree.slice(0, 12)}</code>
            {data.at && (
              <>
                {" "}
                · <Ago at={data.at} /> ago
              </>
            )}
          </span>
        )}
        {data.checks.length > 0 && (
          <button type="button" className="btn" disabled={isBusy} onClick={() => void verify()}>
            {isBusy ? "Checking …" : "Check it again"}
          </button>
        )}
      </div>
      {again && (
        <p role="status" className={again.verified ? "text-done" : "text-fail"}>
          Checked again: {again.verdict} on <code>{again.tree.slice(0, 12)}</code>, {again.verified ? "as the evidence says" : "not as the evidence says"}.
        </p>
      )}
      {data.settings_problem && <p className="text-sm text-wait">Settings: {data.settings_problem}</p>}
      {data.violations.length > 0 && (
        <List name="Paths that it may not touch" lines={data.violations.map((one) => `${one.path}  (${one.rule})`)} />
      )}
      {data.checks.map((one, at) => (
        <Check key={`${at} ${one.command}`} check={one} />
      ))}
      {data.checks.length === 0 && <p className="text-sm text-soft">No check has run for it.</p>}
      {data.base && (
        <section>
          <h3 className="heading mb-1">The target itself, which holds it up</h3>
          <div className="grid gap-2">
            {data.base.checks.map((one, at) => (
              <Check key={`${at} ${one.command}`} check={one} />
            ))}
          </div>
        </section>
      )}
    </div>
  );
}

function List({ name, lines }: { name: string; lines: string[] }) {
  return (
    <section>
      <h3 className="heading mb-1">{name}</h3>
      <ul className="mono text-fail">
        {lines.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </section>
  );
}

const MOST = 60_000;

function Check({ check }: { check: Views["CheckView"] }) {
  const isRed = check.result !== "passed";
  const text = check.output.length > MOST ? `…\n${check.output.slice(-MOST)}` : check.output;
  return (
    <details className="card overflow-hidden" open={isRed}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-2 px-3 py-1.5">
        <State status={check.result} reason={check.reason ?? ""} />
        <code className="min-w-0 break-all">{check.command}</code>
        <span className="ml-auto text-xs text-faint">
          {check.exit_code !== null && `exit ${check.exit_code} · `}
          {duration(check.duration_s)}
          {check.attempts > 1 && ` · ${counted(check.attempts, "attempt")}`}
          {check.reused && " · reused"}
        </span>
      </summary>
      <pre tabIndex={0} className="mono max-h-96 overflow-auto border-t border-line bg-sunken px-3 py-2 break-words whitespace-pre-wrap">
        {text
          ? text.split("\n").map((line, at) => (
              <span key={at}>
                {spans(line.slice(0, 4000)).map((one, place) => (
                  <span key={place} className={one.look}>
                    {one.text}
                  </span>
                ))}
                {"\n"}
              </span>
            ))
          : "(no output)"}
      </pre>
    </details>
  );
}
