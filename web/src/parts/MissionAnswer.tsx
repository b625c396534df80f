// A mission's own questions and plan, answered where they are shown; the version that was seen is the one approved.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { answerTo, planApproval, planRejection } from "../state/answers";
import type { Need } from "../state/attention";
import { useLoaded } from "../state/loaded";
import { paths } from "../state/route";
import { Answers } from "./Answers";
import { doIt, saySo } from "./said";
import { counted } from "./words";

type Mission = Views["MissionView"];

export function MissionAnswer({ need, onAnswered }: { need: Need; onAnswered: (said: string) => void }) {
  const { data } = useLoaded(
    need.task,
    async () => (await call("get", "/api/missions/{mission}", { path: { mission: need.task } })).mission,
    (message) => message.type === "mission_update" && message.mission_id === need.task,
  );
  const isAsked = need.actions.some((one) => one.do === "answer_mission");
  if (isAsked && data) return <Questions mission={data} onAnswered={onAnswered} />;
  return (
    <div>
      {data?.plan && need.actions.some((one) => one.do === "approve_mission") && (
        <p className="mb-1.5 text-sm text-soft">
          Version {data.plan.version}, {counted(data.plan.tasks.length, "task")}: {data.plan.tasks.slice(0, 4).map((one) => one.title).join(" · ")}
          {data.plan.tasks.length > 4 && " …"}{" "}
          <a className="text-accent underline" href={paths.mission(need.task)}>
            see it whole
          </a>
        </p>
      )}
      <Answers answers={missionAnswers(need.actions, data, need.project)} onAnswered={onAnswered} />
    </div>
  );
}

/** Its actions as buttons; a plan is approved only as it was seen. */
export function missionAnswers(actions: Need["actions"], mission: Mission | null, project: string) {
  return actions
    .filter((one) => one.do !== "answer_mission")
    .filter((one) => one.do !== "follow_mission")
    // before its plan is here there is no version that was seen
    .filter((one) => mission !== null || !isAboutPlan(one.do))
    .map((one) => {
      if (!mission?.plan || !isAboutPlan(one.do)) return answerTo(one, project);
      return one.do === "approve_mission" ? planApproval(mission.id, mission.plan.version) : planRejection(mission.id, mission.plan.version);
    });
}

const isAboutPlan = (does: string): boolean => does === "approve_mission" || does === "reject_mission";

export function Questions({ mission, onAnswered }: { mission: Mission; onAnswered?: (said: string) => void }) {
  const open = mission.questions.filter((one) => one.answer === null);
  const [given, setGiven] = useState<Record<string, string>>({});
  const [isBusy, setBusy] = useState(false);
  if (!open.length) return null;
  const send = async () => {
    setBusy(true);
    const answers = Object.fromEntries(Object.entries(given).filter(([, text]) => text.trim()));
    const said = await doIt(() =>
      call("post", "/api/missions/{mission}/answer", { path: { mission: mission.id }, body: { answers, defaults: true } }),
    );
    setBusy(false);
    if (!said) return;
    const told = open.map((one) => `${answers[one.id] ?? one.default}`).join(" · ");
    const text = said.already ? `already answered: ${said.by}` : `answered: ${told}`;
    saySo(text);
    onAnswered?.(text);
  };
  return (
    <form
      aria-label="questions"
      className="grid max-w-2xl gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {open.map((one) => (
        <fieldset key={one.id} className="min-w-0">
          <legend className="mb-1 text-sm font-medium">{one.text}</legend>
          <div className="flex flex-wrap gap-1.5">
            {one.options.map((option) => (
              <label
                key={option}
                className="btn has-checked:border-accent has-checked:bg-go-wash has-checked:text-go has-focus-visible:outline-2"
              >
                <input
                  type="radio"
                  className="sr-only"
                  name={one.id}
                  checked={(given[one.id] ?? one.default) === option}
                  onChange={() => setGiven({ ...given, [one.id]: option })}
                />
                {option}
                {option === one.default && <span className="text-xs text-soft">default</span>}
              </label>
            ))}
            <input
              className="field h-7 w-52 py-0"
              aria-label={`own answer: ${one.text}`}
              placeholder={one.options.length ? "or in your own words" : `default: ${one.default}`}
              value={one.options.includes(given[one.id] ?? "") ? "" : (given[one.id] ?? "")}
              onChange={(event) => setGiven({ ...given, [one.id]: event.target.value })}
            />
          </div>
        </fieldset>
      ))}
      <div>
        <button type="submit" className="btn btn-main" disabled={isBusy}>
          {Object.values(given).some((text) => text.trim()) ? "Answer" : "Take the defaults"}
        </button>
      </div>
    </form>
  );
}
