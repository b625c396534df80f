// Conversation of a mission: a person's words, the planner's, and what happened, in their order.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { doIt } from "../parts/said";
import { Ago } from "../parts/time";

type Mission = Views["MissionView"];
const ENDED = new Set(["completed", "failed", "cancelled"]);

export function Conversation({ mission, onSaid }: { mission: Mission; onSaid: () => void }) {
  const [words, setWords] = useState("");
  const [isBusy, setBusy] = useState(false);
  const say = async () => {
    if (!words.trim() || isBusy) return;
    setBusy(true);
    const said = await doIt(() => call("post", "/api/missions/{mission}/say", { path: { mission: mission.id }, body: { text: words.trim() } }), "said");
    setBusy(false);
    if (said) {
      setWords("");
      onSaid();
    }
  };
  return (
    <section aria-label="conversation" className="min-w-0">
      <h2 className="heading mb-2">Conversation</h2>
      <ol className="grid gap-2.5">
        {mission.messages.map((one) => (
          <li key={one.id} className={one.who === "person" ? "pl-8" : one.who === "planner" ? "pr-8" : ""}>
            {one.who === "person" || one.who === "planner" ? <Words message={one} /> : <Event message={one} />}
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
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              void say();
            }}
          />
          <button type="submit" className="btn mt-1" disabled={!words.trim() || isBusy}>
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

function Event({ message }: { message: Mission["messages"][number] }) {
  return (
    <p className="flex gap-2 text-sm text-soft">
      <span className="text-faint" aria-hidden>
        —
      </span>
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">{message.text}</span>
      <Ago at={message.at} className="text-xs text-faint" />
    </p>
  );
}
