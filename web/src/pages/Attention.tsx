// Attention: what needs a person, ranked by what an answer unblocks, each answered where it stands.
import { memo, useEffect, useRef, useState } from "react";

import { call, type Views } from "../api/client";
import { Answers } from "../parts/Answers";
import { State, words } from "../parts/marks";
import { MissionAnswer } from "../parts/MissionAnswer";
import { doIt } from "../parts/said";
import { withoutLines } from "../parts/words";
import { answerTo, sayVerb, type Answer, type Elsewhere } from "../state/answers";
import { cursor, idOf, isAttentionLoaded, isOutOfRank, items, note, rankAgain, setUnderHand, total, type Item, type Need } from "../state/attention";
import { chosenProject, projectName, projects } from "../state/projects";
import { pathOf, paths } from "../state/route";
import { signal, useSignal } from "../state/signal";

/** So many are open at once: the work below stays in sight. */
export const FIRST = 6;
export const isWholeShown = signal(false);

export function Attention() {
  const shown = useSignal(items);
  const project = useSignal(chosenProject);
  const count = useSignal(total);
  const isMoved = useSignal(isOutOfRank);
  const at = useSignal(cursor);
  const isLoaded = useSignal(isAttentionLoaded);
  const isWhole = useSignal(isWholeShown);
  const waiting = shown.filter((one) => !one.answer).length;
  useEffect(() => {
    if (isOutOfRank.get()) rankAgain();
  }, []);
  if (!isLoaded || shown.length === 0) {
    return (
      <p className="flex items-center gap-2 px-3 py-2 text-sm text-faint" data-attention="none">
        <span className={`size-1.5 rounded-full ${isLoaded ? "bg-done" : "bg-edge"}`} aria-hidden />
        {isLoaded ? `Nothing needs you${project ? ` in ${projectName(project)}` : ""}.` : "Looking at what needs you …"}
      </p>
    );
  }
  return (
    <section
      aria-label="needs you"
      data-attention="some"
      className="px-2 pt-2 sm:px-3"
      onPointerEnter={() => setUnderHand(true)}
      onPointerLeave={() => setUnderHand(false)}
    >
      <div className="flex items-baseline gap-3 pb-1">
        <h2 className="heading text-ask">Needs you · {Math.max(waiting, count)}</h2>
        {isMoved && (
          <button type="button" className="text-xs text-accent underline" onClick={rankAgain}>
            rank again
          </button>
        )}
      </div>
      <ul className="card divide-y divide-line overflow-hidden">
        {shown.slice(0, isWhole ? undefined : FIRST).map((one) => (
          <Entry key={idOf(one.need)} item={one} isHere={idOf(one.need) === at} />
        ))}
      </ul>
      {shown.length > FIRST && (
        <button type="button" className="pt-1 text-xs text-accent underline" onClick={() => isWholeShown.set(!isWhole)}>
          {isWhole ? "only the first" : `${shown.length - FIRST} more`}
        </button>
      )}
    </section>
  );
}

const Entry = memo(function Entry({ item, isHere }: { item: Item; isHere: boolean }) {
  const { need, answer } = item;
  const href = pathOf(need.subject) || paths.work;
  const several = projects.get().length > 1;
  const box = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isHere) box.current?.scrollIntoView({ block: "nearest" });
  }, [isHere]);
  if (answer) {
    return (
      <li ref={box} className={`flex flex-wrap items-baseline gap-x-2 px-3 py-1.5 text-sm text-faint ${isHere ? "bg-pick" : ""}`} data-need={need.subject} data-answered="yes">
        <span className="text-done" aria-hidden>
          ✓
        </span>
        <a href={href} className="truncate hover:underline">
          {need.title || need.task}
        </a>
        <span className="min-w-0 break-words">{answer}</span>
      </li>
    );
  }
  const done = (said: string) => note(need, said);
  return (
    <li
      ref={box}
      className={`gap-x-6 border-l-2 border-l-ask px-3 py-2 md:flex md:items-start ${isHere ? "bg-pick" : ""}`}
      data-need={need.subject}
      data-need-id={idOf(need)}
      aria-current={isHere ? "true" : undefined}
    >
      <div className="min-w-0 md:flex-1">
        <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
          <a href={href} className="min-w-0 font-medium break-words hover:underline">
            {need.title || need.task}
          </a>
          <State status={need.status} reason={need.reason} />
          {need.unblocks > 0 && <span className="text-xs text-ask">unblocks {need.unblocks}</span>}
          {need.behind > 0 && <span className="text-xs text-ask">{need.behind} wait behind it</span>}
          <span className="text-xs text-faint">
            {several && `${need.project_name} · `}
            <code>{need.task}</code>
          </span>
        </div>
        <Why need={need} />
      </div>
      <div className="mt-1.5 max-w-full md:mt-0 md:w-[26rem] md:shrink-0 lg:w-[34rem]">
        {need.subject.startsWith("mission:") ? (
          <MissionAnswer need={need} onAnswered={done} />
        ) : need.reason === "scope_violation" ? (
          <ScopeAnswer need={need} onAnswered={done} />
        ) : (
          <Answers answers={answersOf(need)} onAnswered={done} />
        )}
      </div>
    </li>
  );
});

/** The words of its reason, without the code that stands beside it already. */
function Why({ need }: { need: Need }) {
  const whole = withoutLines(need.why.startsWith(`${need.reason}: `) ? need.why.slice(need.reason.length + 2) : need.why);
  // the paths stand below, each with its answer
  const text = need.reason === "scope_violation" ? (whole.split(": ")[0] ?? whole) : whole;
  if (words(text) === words(need.reason)) return null;
  return <p className="mt-0.5 max-w-[90ch] text-sm break-words whitespace-pre-line text-soft">{text}</p>;
}

export function answersOf(need: Need): (Answer | Elsewhere)[] {
  const found = need.actions.map((one) => answerTo(one, need.project, need.reason));
  return need.reason === "review" ? [{ label: "Review", href: paths.review(need.task) }, ...found] : found;
}

type Violation = Views["ViolationView"];

/** A path as a pattern that names this file alone, as far as patterns can. */
const patternOf = (path: string): string => `${path.includes("/") ? "" : "/"}${path.replace(/[[*?]/g, "?")}`;

/** Per path: what is allowed is added to what the task may change; what is not, the next run is told to leave. */
function ScopeAnswer({ need, onAnswered }: { need: Need; onAnswered: (said: string) => void }) {
  const [found, setFound] = useState<Violation[] | null>(null);
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    void doIt(async () => {
      const { violations } = await call("get", "/api/tasks/{task}/evidence", { path: { task: need.task } });
      setFound([...new Map(violations.map((one) => [one.path, one])).values()]);
    });
  }, [need.task]);
  if (!found || found.length === 0) return <Answers answers={answersOf(need)} onAnswered={onAnswered} />;
  const more = found.filter((one) => allowed.has(one.path)).map((one) => one.path);
  const rest = found.filter((one) => !allowed.has(one.path)).map((one) => one.path);
  const retry = (): Promise<string> => {
    const note = `Leave these as they are: ${rest.join(", ")}.${more.length ? ` You may change: ${more.join(", ")}.` : ""}`;
    return sayVerb(need.task, "retry", note, need.reason, more.map(patternOf));
  };
  const approve = (): Promise<string> => sayVerb(need.task, "approve", `allowed: ${found.map((one) => one.path).join(", ")}`, need.reason);
  const all: Answer = { label: "Approve all of them", key: "a", tone: rest.length ? "plain" : "main", asks: null, run: approve };
  const partly: Answer = { label: more.length ? "Allow the ticked, redo without the rest" : "Redo without them", tone: "main", asks: null, run: retry };
  return (
    <div>
      <ul className="mb-2 grid gap-0.5" aria-label="paths that it may not touch">
        {found.map((one) => (
          <li key={one.path} className="text-sm">
            {/* only a limit on what is written can be widened; other rules are lifted by approving all, or in the settings */}
            {one.rule === "write" ? (
              <label className="flex items-baseline gap-2">
                <input
                  type="checkbox"
                  checked={allowed.has(one.path)}
                  onChange={(event) => {
                    const next = new Set(allowed);
                    if (event.target.checked) next.add(one.path);
                    else next.delete(one.path);
                    setAllowed(next);
                  }}
                />
                <Broken one={one} />
              </label>
            ) : (
              <span className="flex items-baseline gap-2">
                <span className="w-[13px] text-center text-faint" aria-hidden>
                  –
                </span>
                <Broken one={one} />
              </span>
            )}
          </li>
        ))}
      </ul>
      <Answers
        answers={[...(rest.length ? [partly, all] : [all]), ...answersOf(need).filter((one) => !("run" in one) || one.label === "Reject")]}
        onAnswered={onAnswered}
      />
    </div>
  );
}

const RULES: Record<string, string> = {
  write: "beyond what it may change",
  exclude: "kept from agents",
  settings: "settings of Toryo",
  protected: "protected",
  link: "a link that leads away",
  embedded: "a repository of its own",
};

function Broken({ one }: { one: Violation }) {
  return (
    <>
      <code className="break-all">{one.path}</code>
      <span className="text-xs text-faint" title={one.rule}>
        {RULES[one.rule] ?? one.rule}
      </span>
    </>
  );
}
