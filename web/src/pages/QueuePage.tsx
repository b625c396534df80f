// Queue: for every target branch who lands next, what is being checked, and what waits for a person's checkout.
import { useMemo } from "react";

import { call, type Views } from "../api/client";
import { Answers, CopyLine, useBack } from "../parts/Answers";
import { Sign, State, words } from "../parts/marks";
import { Failure } from "../parts/said";
import { Ago } from "../parts/time";
import type { Answer } from "../state/answers";
import { useLoaded } from "../state/loaded";
import { chosenProject } from "../state/projects";
import { paths } from "../state/route";
import { useSignal } from "../state/signal";
import { allTasks, shape, sums, useTask } from "../state/tasks";

type Target = Views["OneTarget"]["target"];

async function load(): Promise<Target[]> {
  const { targets } = await call("get", "/api/targets");
  const asked = targets.map((one) =>
    one.queued + one.accepted > 0
      ? call("get", "/api/target", { query: { target: one.name, project: one.project } as never }).then((found) => found.target)
      : Promise.resolve({ ...one, queue: [] }),
  );
  return Promise.all(asked);
}

export function QueuePage() {
  const { data, error, reload } = useLoaded("queue", load, (message) => {
    if (message.type === "task_update") return ["landing", "verifying", "done", "needs_review"].includes(message.state);
    return message.type === "task_changed" || (message.type === "subject_update" && /^(target|queue|landing|project):/.test(message.subject));
  });
  const project = useSignal(chosenProject);
  useBack(paths.work);
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading the queue …</p>;
  const shown = data.filter((one) => !project || one.project === project);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-6xl px-3 py-4 sm:px-5">
        <h1 className="mb-3 text-lg font-semibold">Queue</h1>
        <Failure error={error} />
        {shown.length === 0 && <p className="text-soft">No branch is landed on yet.</p>}
        <div className="grid gap-4">
          {shown.map((one) => (
            <Branch key={`${one.project}/${one.name}`} target={one} onChange={reload} />
          ))}
        </div>
      </div>
    </div>
  );
}

function Branch({ target, onChange }: { target: Target; onChange: () => void }) {
  const isHeld = target.stopped !== null || target.waiting.length > 0;
  const isQuiet = target.queue.length === 0 && !target.reason;
  return (
    <section className="card overflow-hidden" aria-label={`queue of ${target.name}`} data-target={target.name}>
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2">
        <h2 className="font-semibold">{target.name}</h2>
        <span className="text-sm text-soft">{target.project_name}</span>
        {target.reason && <State status={isHeld ? "paused" : "verifying"} reason={target.reason} />}
        <span className="ml-auto text-xs text-faint">
          {target.accepted > 0 && `${target.accepted} accepted · `}
          {target.queued} queued · tip <code>{target.tip.slice(0, 9)}</code>
          {target.tip !== target.published && (
            <>
              , branch <code>{target.branch.slice(0, 9)}</code>
            </>
          )}
        </span>
      </header>
      {target.waits_for && (
        <div className={`border-t border-line px-3 py-2 text-sm ${isHeld ? "bg-ask-wash text-ask" : "text-soft"}`}>
          <p className="break-words">{target.waits_for}</p>
          {target.next.length > 0 && (
            <div className="mt-1.5 flex flex-wrap gap-1.5 text-ink">
              <Ways target={target} onChange={onChange} />
            </div>
          )}
        </div>
      )}
      {isQuiet ? (
        <p className="border-t border-line px-3 py-2 text-sm text-faint">Nothing waits to land.</p>
      ) : (
        <ol className="divide-y divide-line border-t border-line" aria-label="who lands next">
          {target.queue.map((one, at) => (
            <Landing key={one.landing} landing={one} place={at + 1} />
          ))}
        </ol>
      )}
      <Landed target={target} />
    </section>
  );
}

const SHOWN_LANDED = 5;

/** What went before, so that one sees whether the queue moves. */
function Landed({ target }: { target: Target }) {
  const [version, changes] = [useSignal(shape), useSignal(sums)];
  const last = useMemo(
    () =>
      [...allTasks()]
        .filter((one) => one.status === "done" && one.project === target.project && one.target_branch === target.name && one.changed_at)
        .sort((one, other) => Date.parse(other.changed_at ?? "") - Date.parse(one.changed_at ?? ""))
        .slice(0, SHOWN_LANDED),
    [version, changes, target.project, target.name],
  );
  if (!last.length) return null;
  return (
    <div className="border-t border-line px-3 py-2">
      <h3 className="heading mb-1">Landed last</h3>
      <ul className="grid gap-1" aria-label="landed last">
        {last.map((one) => (
          <li key={one.id} className="flex items-baseline gap-2 text-sm">
            <Sign status="done" />
            <a href={paths.task(one.id)} className="min-w-0 truncate hover:underline">
              {one.title}
            </a>
            <span className="ml-auto flex shrink-0 gap-3 text-xs text-faint">
              <span className="hidden sm:inline">{one.agent}</span>
              <Ago at={one.changed_at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The verbs of a target as buttons; what only helps in a terminal as a line. */
function Ways({ target, onChange }: { target: Target; onChange: () => void }) {
  const body = { target: target.name, project: target.project, note: "" };
  const verbs: Answer[] = [];
  const lines: string[] = [];
  for (const line of target.next) {
    if (line.startsWith("toryo target approve"))
      verbs.push({ label: `Approve ${target.name}`, tone: "main", asks: null, run: async () => (await call("post", "/api/target/approve", { body })).said });
    else if (line.startsWith("toryo target retry"))
      verbs.push({ label: "Check it again", tone: "plain", asks: null, run: async () => (await call("post", "/api/target/retry", { body })).said });
    else lines.push(line);
  }
  return (
    <>
      {verbs.length > 0 && <Answers answers={verbs} onAnswered={onChange} />}
      {lines.map((one) => (
        <CopyLine key={one} line={one} />
      ))}
    </>
  );
}

const STATES: Record<string, string> = { accepted: "landing", queued: "queued", building: "verifying", checking: "verifying" };

function Landing({ landing, place }: { landing: Target["queue"][number]; place: number }) {
  const task = useTask(landing.task ?? "");
  return (
    <li className="flex flex-wrap items-baseline gap-x-2.5 px-3 py-1.5">
      <span className="w-5 text-right text-xs text-faint tabular-nums">{place}</span>
      {landing.task ? (
        <a href={paths.task(landing.task)} className="min-w-0 break-words hover:underline">
          {landing.title ?? landing.task}
        </a>
      ) : (
        <span>{landing.title ?? words(landing.kind)}</span>
      )}
      <State status={task?.status ?? STATES[landing.state] ?? "queued"} reason={task?.reason ?? landing.state} />
      {landing.verdict && <State status={landing.verdict} />}
      <span className="ml-auto text-xs text-faint">
        <code>{landing.commit.slice(0, 9)}</code> <Ago at={landing.since} />
      </span>
    </li>
  );
}
