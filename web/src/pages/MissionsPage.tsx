// Missions: all of them on the left, the chosen one on the right: its conversation, its plan, and what to say to it.
import { useEffect } from "react";

import { call, type Views } from "../api/client";
import { Answers } from "../parts/Answers";
import { Sign, State } from "../parts/marks";
import { missionAnswers, Questions } from "../parts/MissionAnswer";
import { newDialog } from "../parts/NewDialog";
import { Failure } from "../parts/said";
import { Ago } from "../parts/time";
import { counted, withoutLines } from "../parts/words";
import type { Answer } from "../state/answers";
import { useKeys } from "../state/keys";
import { useLoaded } from "../state/loaded";
import { missions, missionsError, type MissionLine } from "../state/missions";
import { chosenProject, projects } from "../state/projects";
import { go, paths } from "../state/route";
import { useSignal } from "../state/signal";
import { Conversation } from "./Conversation";
import { Plan } from "./Plan";

type Mission = Views["MissionView"];
const ENDED = new Set(["completed", "failed", "cancelled"]);

export function MissionsPage({ id }: { id: string }) {
  const all = useSignal(missions);
  const error = useSignal(missionsError);
  const project = useSignal(chosenProject);
  // the newest first: a new one comes on top, the others keep their order
  const shown = (all ?? []).filter((one) => !project || one.project === project).toReversed();
  const at = shown.findIndex((one) => one.id === id);
  const showing = id || (shown.find((one) => !ENDED.has(one.status)) ?? shown[0])?.id;
  const step = (by: number) => {
    const next = shown[Math.min(shown.length - 1, Math.max(0, at + by))];
    if (next) go(paths.mission(next.id));
  };
  useKeys("missions", [
    { key: "j", does: "next mission", run: () => step(1) },
    { key: "k", does: "mission before", run: () => step(-1) },
    { key: "Escape", does: "back to the list", run: () => go(id ? paths.missions : paths.work) },
    { key: "a", does: "to the answers", run: () => document.querySelector<HTMLElement>("[data-actions] button, [data-actions] input")?.focus() },
  ]);
  return (
    <div className="flex h-full">
      <nav aria-label="missions" className={`w-full shrink-0 overflow-y-auto border-line md:block md:w-72 md:border-r ${id ? "hidden" : ""}`}>
        <Failure error={error} />
        {all !== null && shown.length === 0 && <None />}
        <ul>
          {shown.map((one) => (
            <li key={one.id}>
              <Entry mission={one} isHere={one.id === showing} />
            </li>
          ))}
        </ul>
      </nav>
      <div className={`min-w-0 flex-1 ${id ? "" : "hidden md:block"}`}>
        {showing && <OneMission key={showing} id={showing} />}
      </div>
    </div>
  );
}

function None() {
  return (
    <div className="p-4 text-sm text-soft">
      <p>No mission yet.</p>
      <p className="mt-1 text-faint">A mission is one sentence of yours: the planner asks, plans, and the crew does it after your yes.</p>
      <button type="button" className="btn btn-main mt-3" onClick={() => newDialog.set({ kind: "mission" })}>
        New mission
      </button>
    </div>
  );
}

function Entry({ mission, isHere }: { mission: MissionLine; isHere: boolean }) {
  return (
    <a
      href={paths.mission(mission.id)}
      aria-current={isHere ? "true" : undefined}
      data-mission={mission.id}
      className="block border-b border-l-2 border-b-line border-l-transparent px-3 py-2 hover:bg-sunken aria-[current]:border-l-accent aria-[current]:bg-pick"
    >
      <span className="flex items-baseline gap-1.5">
        <Sign status={mission.status} />
        <span className="line-clamp-2 min-w-0 flex-1 break-words">{mission.title || mission.id}</span>
      </span>
      <span className="mt-1 flex items-center gap-2 pl-6">
        <State status={mission.status} reason={mission.reason} />
        <Ago at={mission.changed_at} className="ml-auto text-xs text-faint" />
      </span>
    </a>
  );
}

function OneMission({ id }: { id: string }) {
  const { data, error, reload } = useLoaded(
    id,
    async () => (await call("get", "/api/missions/{mission}", { path: { mission: id } })).mission,
    (message) =>
      (message.type === "mission_update" && message.mission_id === id) || message.type === "task_update" || message.type === "task_added",
  );
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading {id} …</p>;
  return (
    <article className="h-full overflow-y-auto">
      <MissionHead mission={data} onAnswered={reload} />
      <div className="grid gap-x-8 gap-y-6 px-3 py-4 sm:px-5 lg:grid-cols-[minmax(0,3fr)_minmax(18rem,2fr)]">
        <div className="min-w-0">{data.plan ? <Plan plan={data.plan} mission={data} /> : <p className="text-soft">There is no plan yet.</p>}</div>
        <Conversation mission={data} onSaid={reload} />
      </div>
    </article>
  );
}

function MissionHead({ mission, onAnswered }: { mission: Mission; onAnswered: () => void }) {
  const several = useSignal(projects).length > 1;
  useEffect(() => {
    document.querySelector(`[data-mission="${CSS.escape(mission.id)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [mission.id]);
  const follow = mission.actions.some((one) => one.do === "follow_mission");
  return (
    <header className="border-b border-line px-3 pt-3 pb-3 sm:px-5">
      <a href={paths.missions} className="text-xs text-accent md:hidden">
        ← all missions
      </a>
      <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
        <Sign status={mission.status} />
        <h1 className="min-w-0 text-lg leading-snug font-semibold break-words">{mission.title || mission.id}</h1>
        <State status={mission.status} reason={mission.reason} />
        <span className="text-sm text-faint">
          <code>{mission.id}</code> {several && `· ${mission.project_name}`} → {mission.target}
        </span>
      </div>
      {mission.detail && <p className="mt-1 max-w-[90ch] text-sm break-words whitespace-pre-line text-soft">{withoutLines(mission.detail)}</p>}
      <Figures mission={mission} />
      <div className="mt-2.5" data-actions>
        {mission.questions.some((one) => one.answer === null) && (
          <div className="mb-3">
            <Questions key={mission.questions.length} mission={mission} onAnswered={onAnswered} />
          </div>
        )}
        <Answers answers={[...missionAnswers(mission.actions, mission, mission.project), ...steering(mission)]} onAnswered={onAnswered} />
        {follow && (
          <button type="button" className="btn" onClick={() => newDialog.set({ follow: mission.id })}>
            Go on from it
          </button>
        )}
      </div>
    </header>
  );
}

/** A number that nobody reads to its last digit. */
const short = (limit: number): string => (limit < 1e6 ? limit.toLocaleString("en") : limit.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }));

function Figures({ mission }: { mission: Mission }) {
  const { usage, usage_of_agents: agents, budget } = mission;
  const limits = Object.entries(budget).filter(([, limit]) => limit > 0);
  return (
    <p className="mt-1 flex min-w-0 flex-wrap gap-x-4 text-xs text-faint tabular-nums">
      <span>
        planner: {counted(usage.calls, "call")}, {counted(usage.input_tokens + usage.output_tokens, "token")},{" "}
        {usage.cost_usd === null ? "cost unknown" : `${usage.cost_usd.toFixed(4)} USD ${usage.cost}`}
      </span>
      {agents.runs > 0 && (
        <span>
          agents: {counted(agents.runs, "run")}, {counted(agents.input_tokens + agents.output_tokens, "token")},{" "}
          {agents.cost_usd === null ? "cost unknown" : `${agents.cost_usd.toFixed(4)} USD ${agents.cost}`}
        </span>
      )}
      <span className="min-w-0 break-words">{limits.length ? `budget: ${limits.map(([name, limit]) => `${short(limit)} ${name}`).join(", ")}` : "no budget"}</span>
      {mission.parallelism > 0 && <span>{mission.parallelism} at once</span>}
      {mission.follows && (
        <a className="text-accent" href={paths.mission(mission.follows)}>
          goes on from {missions.get()?.find((one) => one.id === mission.follows)?.title || mission.follows}
        </a>
      )}
      {mission.spec && <span>files in {mission.spec}</span>}
    </p>
  );
}

/** What can be said to a mission that has not ended, besides what its reason asks for. */
function steering(mission: Mission): Answer[] {
  if (ENDED.has(mission.status)) return [];
  const path = { mission: mission.id };
  const found: Answer[] = [
    {
      label: "Parallelism",
      tone: "plain",
      asks: { words: "How many of its tasks at once?", isNeeded: true, first: String(mission.parallelism || 1) },
      run: async (words) => {
        const parallelism = Number(words);
        if (!Number.isInteger(parallelism) || parallelism < 1) throw new Error("Parallelism is a whole number from 1 on.");
        await call("post", "/api/missions/{mission}/set", { path, body: { parallelism } });
        return `${parallelism} at once`;
      },
    },
  ];
  if (!mission.reason.startsWith("budget")) {
    found.push({
      label: "Budget",
      tone: "plain",
      asks: { words: "Such as tokens=500000 or minutes=90; 0 takes it away", isNeeded: true, first: "tokens=" },
      run: async (words) => {
        const budget = Object.fromEntries(words.split(/[\s,]+/).map((one) => [one.split("=")[0] ?? "", Number(one.split("=")[1])]));
        if (Object.values(budget).some((one) => !Number.isFinite(one))) throw new Error("A budget is written as tokens=500000.");
        await call("post", "/api/missions/{mission}/budget", { path, body: { budget } });
        return `budget: ${words}`;
      },
    });
  }
  if (mission.status !== "paused") {
    found.push({
      label: "Pause and stop its runs",
      tone: "danger",
      asks: null,
      warns: "Its runs are stopped; resumed, they go on in the same worktrees.",
      run: async () => {
        await call("post", "/api/missions/{mission}/pause", { path, body: { now: true } });
        return "paused, its runs are stopped";
      },
    });
  }
  return found;
}
