// Marks of states: the sign of the source's page, and the finer state in its colour, never without its reason.
import { memo } from "react";

const GO = "bg-go-wash text-go";
const WAIT = "bg-wait-wash text-wait";
const QUIET = "bg-sunken text-soft";
const LOOKS: Record<string, string> = {
  open: QUIET,
  blocked: WAIT,
  ready: QUIET,
  running: GO,
  verifying: GO,
  landing: GO,
  needs_review: "bg-ask-wash text-ask",
  done: "bg-done-wash text-done",
  failed: "bg-fail-wash text-fail",
  cancelled: "bg-sunken text-faint",
  // missions
  questioning: "bg-ask-wash text-ask",
  planning: GO,
  awaiting_approval: "bg-ask-wash text-ask",
  queued: QUIET,
  active: GO,
  paused: WAIT,
  completed: "bg-done-wash text-done",
  // runs and checks
  succeeded: "bg-done-wash text-done",
  passed: "bg-done-wash text-done",
  green: "bg-done-wash text-done",
  flaky: WAIT,
  unchecked: QUIET,
  red: "bg-fail-wash text-fail",
  could_not_run: "bg-fail-wash text-fail",
  timed_out: "bg-fail-wash text-fail",
  lost: "bg-fail-wash text-fail",
  dead: "bg-fail-wash text-fail",
  waiting: QUIET,
  delivered: "bg-done-wash text-done",
  cleared: "bg-sunken text-faint",
  parked: WAIT,
  unknown: "bg-unknown-wash text-unknown",
};
const PENDING = { sign: "⏳", word: "pending" };
const SIGNS: Record<string, { sign: string; word: string }> = {
  done: { sign: "✅", word: "completed" },
  completed: { sign: "✅", word: "completed" },
  failed: { sign: "❌", word: "error" },
  cancelled: { sign: "❌", word: "error" },
};
const KNOWN = new Set(Object.keys(LOOKS));

export const words = (text: string): string => text.replaceAll("_", " ");

/** A reason in words; the task that it names stands beside it as a link. */
const reasonWords = (reason: string): string => words(reason.startsWith("dependency") ? (reason.split(":")[0] ?? "") : reason);

/** ⏳ ✅ ❌, as on the source's page; a status that this page does not know is shown as that. */
export const Sign = memo(function Sign({ status }: { status: string }) {
  const found = SIGNS[status] ?? (KNOWN.has(status) ? PENDING : { sign: "？", word: "unknown" });
  return (
    <span role="img" aria-label={found.word} className="inline-block w-5 shrink-0 text-center text-[0.8rem] leading-none">
      {found.sign}
    </span>
  );
});

/** Reasons that say their status again. */
const SAID_AGAIN = new Set(["questioning questions", "awaiting_approval plan_ready"]);

export const State = memo(function State({ status, reason: given = "" }: { status: string; reason?: string }) {
  const reason = given === status || SAID_AGAIN.has(`${status} ${given}`) ? "" : given;
  const look = LOOKS[status] ?? "bg-unknown-wash text-unknown";
  return (
    <span className={`inline-flex max-w-full shrink-0 items-baseline rounded px-1.5 text-xs leading-5 ${look}`}>
      <span className="font-medium whitespace-nowrap">{words(status)}</span>
      {reason && (
        <span className="truncate whitespace-pre" title={words(reason)}>
          {` · ${reasonWords(reason)}`}
        </span>
      )}
    </span>
  );
});

const WORST = ["needs_review", "failed", "blocked", "running", "verifying", "landing", "ready", "open", "cancelled", "done"];

/** The state that most wants to be seen. */
export function worst(states: Iterable<string>): string {
  let found = WORST.length;
  for (const one of states) {
    const at = WORST.indexOf(one);
    if (at < 0) return one;
    if (at < found) found = at;
  }
  return WORST[found] ?? "";
}
