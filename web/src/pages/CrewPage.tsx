// Crew: who works where, on which account, from which machine, and what keeps them.
import { call, type Views } from "../api/client";
import { Answers, CopyLine, useBack } from "../parts/Answers";
import { State } from "../parts/marks";
import { Failure } from "../parts/said";
import { TaskLink } from "../parts/TaskLink";
import { Ago, Until } from "../parts/time";
import { counted } from "../parts/words";
import { useLoaded } from "../state/loaded";
import { chosenProject } from "../state/projects";
import { paths } from "../state/route";
import { useSignal } from "../state/signal";
import { OutsideSessions } from "./OutsideSessions";
import { ProjectCrew } from "./ProjectCrew";

type Status = Views["Status"];

async function load() {
  const [status, projects, agents, accounts, sessions, runs] = await Promise.all([
    call("get", "/api/status"),
    call("get", "/api/projects"),
    call("get", "/api/agents"),
    call("get", "/api/accounts"),
    call("get", "/api/sessions"),
    call("get", "/api/runs", { query: { limit: 200 } }),
  ]);
  const tasks = new Map(runs.runs.map((one) => [one.id, one.task]));
  return { status, projects: projects.projects, agents: agents.agents, accounts: accounts.accounts, sessions: sessions.sessions, tasks };
}

export function CrewPage() {
  const { data, error, reload } = useLoaded("crew", load, (message) => message.type === "subject_update" || message.type === "task_update" || message.type === "task_changed");
  const project = useSignal(chosenProject);
  useBack(paths.work);
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading the crew …</p>;
  const { status, agents } = data;
  const shown = data.projects.filter((one) => !project || one.id === project);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto grid max-w-6xl gap-6 px-3 py-4 sm:px-5 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="grid content-start gap-4">
          <h1 className="text-lg font-semibold">Crew</h1>
          <Failure error={error} />
          {status.problems.map((one) => (
            <div key={`${one.project} ${one.what}`} className="rounded-md bg-wait-wash px-3 py-2 text-sm text-wait">
              <p>{one.what}</p>
              {one.type && <CopyLine line={one.type} />}
            </div>
          ))}
          {shown.length === 0 && (
            <p className="text-soft">
              No project yet: <code>toryo init</code> in a repository adds one.
            </p>
          )}
          {shown.map((one) => (
            <ProjectCrew key={one.id} project={one} agents={agents} members={status.agents} tasks={data.tasks} onChange={reload} />
          ))}
        </div>
        <div className="grid content-start gap-5 lg:pt-10">
          <Accounts accounts={data.accounts} onChange={reload} />
          <OutsideSessions sessions={data.sessions.filter((one) => !project || one.project === project)} onChange={reload} />
          <Machines status={status} />
        </div>
      </div>
    </div>
  );
}

function Accounts({ accounts, onChange }: { accounts: Views["AccountView"][]; onChange: () => void }) {
  return (
    <section aria-label="accounts">
      <h2 className="heading mb-1">Accounts</h2>
      {accounts.length === 0 && <p className="text-sm text-faint">None is known yet.</p>}
      <ul className="grid gap-2">
        {accounts.map((one) => (
          <li key={`${one.machine} ${one.client}`} className="card px-3 py-2 text-sm">
            <div className="flex items-baseline gap-2">
              <span className="font-medium">{one.client}</span>
              {one.parked ? <State status="parked" reason={one.why ?? ""} /> : <span className="text-faint">free</span>}
            </div>
            {one.parked && (
              <div className="mt-1 grid gap-1">
                {one.message && <p className="break-words text-soft">{one.message}</p>}
                <p className="text-wait">
                  waits <Until at={one.until} />
                </p>
                <ul>
                  {one.tasks.map((task) => (
                    <li key={task}>
                      <TaskLink id={task} />
                    </li>
                  ))}
                </ul>
                <Answers
                  answers={[
                    {
                      label: "Release",
                      tone: "plain",
                      asks: null,
                      run: async () => {
                        await call("post", "/api/accounts/release", { body: { client: one.client, machine: one.machine } });
                        return `released ${one.client}`;
                      },
                    },
                  ]}
                  onAnswered={onChange}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Machines({ status }: { status: Status }) {
  const places = [...status.coordinators.map((one) => ({ ...one, kind: "coordinator" })), ...status.planners.map((one) => ({ ...one, kind: "planner" }))];
  return (
    <section aria-label="machines">
      <h2 className="heading mb-1">Processes</h2>
      <ul className="grid gap-1.5 text-sm">
        <li className="flex flex-wrap items-baseline gap-x-2">
          <span className="size-2 self-center rounded-full bg-done" aria-hidden />
          daemon <span className="text-faint">{status.daemon.version} · up {Math.floor(status.daemon.uptime_s / 60)} min</span>
        </li>
        {places.map((one) => (
          <li key={`${one.kind} ${one.id}`} className="flex flex-wrap items-baseline gap-x-2">
            <span className={`size-2 self-center rounded-full ${one.live ? "bg-done" : "bg-fail"}`} aria-hidden />
            {one.kind} {one.name}
            <span className="text-faint">
              {one.live ? `live · ${counted(one.runs.length, "run")}` : "not heard of"} {!one.live && <Ago at={one.seen_at} />}
            </span>
            {Object.keys(one.clients).length > 0 && <span className="text-faint">can start {Object.keys(one.clients).join(", ")}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
