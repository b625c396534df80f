// Conversation of a mission: a person's words, the planner's, and what happened, in their order.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { State } from "../parts/marks";
import { doIt } from "../parts/said";
import { Ago } from "../parts/time";
import { withoutLines } from "../parts/words";
import { paths } from "../state/route";

type Mission = Views["MissionView"];
const ENDED = new Set(["completed", "failed", "cancelled"]);

export function Conversation({ mission, onSaid }: { mission: Mission; onSaid: () => void }) {
  const [said, setSaid] = useState("");
  const [isBusy, setBusy] = useState(false);
  const say = async () => {
    if (!said.trim() || isBusy) return;
    setBusy(true);
    const done = await doIt(() => call("post", "/api/missions/{mission}/say", { path: { mission: mission.id }, body: { text: said.trim() } }), "said");
    setBusy(false);
    if (done) {
      setSaid("");
      onSaid();
    }
  };
  return (
    <section aria-label="conversation" className="min-w-0">
      <h2 className="heading mb-2">Conversation</h2>
      <ol className="grid gap-2.5">
        {mission.messages.map((one) => (
          <li key={one.id} className={one.who === "person" ? "pl-8" : one.who === "planner" ? "pr-8" : ""}>
            {one.who === "person" || one.who === "planner" ? <Words message={one} /> : <Event message={one} mission={mission} />}
          </li>
        ))}
      </ol>
      {!ENDED.has(mission.status) && (
        <form
          className="mt-3"
          onSubmit={(event) => {
            event.preventDefault();
            void say();
          }}
        >
          <textarea
            aria-label="say to the mission"
            placeholder="Ask for something else, or more"
            rows={2}
            className="field"
            value={said}
            onChange={(event) => setSaid(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void say();
            }}
          />
          <button type="submit" className="btn mt-1" disabled={!said.trim() || isBusy}>
            Say
          </button>
        </form>
      )}
    </section>
  );
}

function Words({ message }: { message: Mission["messages"][number] }) {
  const isPerson = message.who === "person";
  return (
    <div className={`rounded-lg px-3 py-2 ${isPerson ? "bg-pick" : "border border-line bg-raised"}`}>
      <p className="mb-0.5 flex justify-between text-xs text-faint">
        <span>{isPerson ? "you" : "planner"}</span>
        <Ago at={message.at} />
      </p>
      <p className="break-words whitespace-pre-wrap">{message.text}</p>
    </div>
  );
}

/** A line of what happened: `awaiting_approval: …` of the mission, or `T001 Title: running (implement): …` of a task. */
function Event({ message, mission }: { message: Mission["messages"][number]; mission: Mission }) {
  return (
    <div className="flex gap-2 text-sm text-soft">
      <span className="text-faint" aria-hidden>
        —
      </span>
      <div className="min-w-0 flex-1">
        {message.text.split("\n").map((line, at) => (
          <p key={at} className="break-words whitespace-pre-wrap">
            <Line text={line} mission={mission} />
          </p>
        ))}
      </div>
      <Ago at={message.at} className="text-xs text-faint" />
    </div>
  );
}

const OF_MISSION = /^([a-z]+(?:_[a-z]+)*)(?::|$)/;
const OF_A_MISSION = new Set(["questioning", "planning", "awaiting_approval", "queued", "active", "paused", "completed", "failed", "cancelled"]);
const STATE = /^([a-z_]+)(?: \(([^)]*)\))?(?:: (.*))?$/s;

function Line({ text, mission }: { text: string; mission: Mission }) {
  const planned = mission.plan?.tasks.find((one) => text.startsWith(`${one.id} ${one.title}: `));
  if (!planned) {
    const [, code = ""] = OF_MISSION.exec(text) ?? [];
    if (!OF_A_MISSION.has(code)) return <>{withoutLines(text)}</>;
    return (
      <>
        <State status={code} /> {withoutLines(text.slice(code.length).replace(/^:\s*/, ""))}
      </>
    );
  }
  const rest = text.slice(planned.id.length + planned.title.length + 3);
  const [, status = "", reason = "", detail = ""] = STATE.exec(rest) ?? [];
  return (
    <>
      {planned.task ? (
        <a className="text-accent hover:underline" href={paths.task(planned.task)} title={planned.id}>
          {planned.title}
        </a>
      ) : (
        planned.title
      )}{" "}
      {status ? <State status={status} reason={reason} /> : rest} {status && !reason.startsWith("dependency") && withoutLines(detail)}
    </>
  );
}
