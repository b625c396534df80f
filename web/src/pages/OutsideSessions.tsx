// Agents that somebody else started: on what each works, since when, when it was last heard of, and its end.
import { call, type Views } from "../api/client";
import { Answers } from "../parts/Answers";
import { TaskLink } from "../parts/TaskLink";
import { Ago } from "../parts/time";
import type { Answer } from "../state/answers";

type Session = Views["SessionView"];

export function OutsideSessions({ sessions, onChange }: { sessions: Session[]; onChange: () => void }) {
  return (
    <section aria-label="outside sessions">
      <h2 className="heading mb-1">Outside sessions</h2>
      {sessions.length === 0 && <p className="text-sm text-faint">Nobody else has started an agent.</p>}
      <ul className="grid gap-2">
        {sessions.map((one) => (
          <li key={one.session} className="card px-3 py-2 text-sm" data-session={one.session}>
            <div className="flex flex-wrap items-baseline gap-x-2">
              <span className="font-medium">{one.agent}</span>
              <span className="text-faint">{one.project_name}</span>
              <span className="ml-auto text-xs text-faint">
                since <Ago at={one.since} />
                {one.heard_at ? (
                  <>
                    {" "}
                    · heard <Ago at={one.heard_at} /> ago
                  </>
                ) : (
                  " · not heard of"
                )}
              </span>
            </div>
            <p className="my-1 min-w-0">{one.task ? <TaskLink id={one.task} title={one.title} /> : <span className="text-faint">no task yet</span>}</p>
            <Answers answers={[end(one)]} onAnswered={onChange} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function end(one: Session): Answer {
  return {
    label: "End",
    tone: "danger",
    asks: null,
    warns: one.task ? "It is no longer counted as at work; what it committed is looked at." : "It is no longer counted as at work.",
    run: async () => {
      if (one.run) await call("post", "/api/runs/{run}/stop", { path: { run: one.run } });
      else
        await call("post", "/api/agents/{agent}/end-session", {
          path: { agent: one.agent },
          body: { project: one.project, session: one.session },
        });
      return `the session of ${one.agent} ended`;
    },
  };
}
