// Events: what happened, the newest first, filtered by kind and task and searched; new ones come as they happen.
import { useEffect, useMemo, useRef, useState } from "react";

import { call, type Views } from "../api/client";
import { useBack } from "../parts/Answers";
import { State, words } from "../parts/marks";
import { Failure } from "../parts/said";
import { clock, moment } from "../parts/time";
import { counted } from "../parts/words";
import { Windowed } from "../parts/Windowed";
import { useKeys } from "../state/keys";
import { onMessage } from "../state/live";
import { missions } from "../state/missions";
import { chosenProject } from "../state/projects";
import { go, pathOf, paths } from "../state/route";
import { useSignal } from "../state/signal";

type Event = Views["EventView"];
const FIRST = 1000;
/** New ones push out the oldest beyond so many; older ones that were asked for stay until then. */
const MOST = 20_000;
const GATHER_MS = 500;
const ROW = 26;
const TALL_ROW = 44;
const isNarrow = window.matchMedia("(max-width: 639px)");

export function EventsPage({ task }: { task: string }) {
  const project = useSignal(chosenProject);
  const [isPlumbing, setPlumbing] = useState(false);
  const [wanted, setWanted] = useState("");
  const [kind, setKind] = useState("");
  const { events, error, hasOlder, loadOlder } = useEvents(task, project, kind, isPlumbing);
  const [at, setAt] = useState(-1);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);

  const kinds = useKinds(events, kind);
  const shown = useMemo(() => {
    const asked = wanted.trim().toLowerCase().split(/\s+/);
    return events.filter((one) => {
      const text = textOf(one);
      return asked.every((word) => text.includes(word));
    });
  }, [events, wanted]);
  useBack(paths.work);
  useKeys("events", [
    { key: "j", does: "next event", run: () => setAt(Math.min(shown.length - 1, at + 1)) },
    { key: "k", does: "event before", run: () => setAt(Math.max(0, at - 1)) },
    { key: "Enter", does: "what it is about", run: () => shown[at] && openSubject(shown[at]) },
    { key: "/", does: "search", run: () => search.current?.focus() },
  ]);
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2 text-sm">
        <h1 className="mr-1 font-semibold">Events</h1>
        <input ref={search} type="search" aria-label="search the events" placeholder="Search  /" className="field h-7 w-44 py-0 sm:w-60" value={wanted} onChange={(event) => setWanted(event.target.value)} />
        <select aria-label="kind" className="field h-7 w-auto max-w-44 py-0" value={kind} onChange={(event) => setKind(event.target.value)}>
          <option value="">all kinds</option>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {words(one)}
            </option>
          ))}
        </select>
        <label className="flex items-center gap-1.5 text-soft">
          <input type="checkbox" checked={isPlumbing} onChange={(event) => setPlumbing(event.target.checked)} /> machinery too
        </label>
        {task && (
          <span className="rounded bg-pick px-2 text-xs leading-6">
            of {task}{" "}
            <a href={paths.events} aria-label="of all tasks" className="text-faint hover:text-ink">
              ✕
            </a>
          </span>
        )}
        <Searched events={events} shown={shown.length} isSearched={wanted.trim() !== ""} hasOlder={hasOlder} />
      </div>
      <Failure error={error} />
      <div ref={scroller} className="min-h-0 flex-1 overflow-auto py-1">
        <Windowed
          count={shown.length}
          rowHeight={isNarrow.matches ? TALL_ROW : ROW}
          scroller={scroller}
          at={at}
          role="list"
          label="events"
          row={(index) => {
            const one = shown[index];
            return one && <Row key={one.seq} event={one} isHere={index === at} />;
          }}
        />
        {shown.length === 0 && events.length > 0 && <p className="px-3 text-soft">None of the loaded events fits.</p>}
        {events.length === 0 && !hasOlder && <p className="px-3 text-soft">Nothing that fits happened.</p>}
        {hasOlder && (
          <p className="px-3 py-2">
            <button type="button" className="btn" onClick={loadOlder}>
              Load older events
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

/** What a search looks through, said where one searches. */
function Searched({ events, shown, isSearched, hasOlder }: { events: Event[]; shown: number; isSearched: boolean; hasOlder: boolean }) {
  const first = events.at(-1)?.at;
  const since = hasOlder && first ? `since ${moment(first)}` : "all that are kept";
  return (
    <span className="ml-auto text-xs text-faint" data-searched>
      {isSearched ? `${shown} of ${counted(events.length, "event")}` : counted(events.length, "event")} · {since}
    </span>
  );
}

/** Every kind that was seen here, whichever is chosen. */
function useKinds(events: Event[], chosen: string): string[] {
  const known = useRef(new Set<string>());
  return useMemo(() => {
    for (const one of events) known.current.add(one.kind);
    if (chosen) known.current.add(chosen);
    return [...known.current].sort();
  }, [events, chosen]);
}

interface Events {
  events: Event[];
  error: Error | null;
  /** There may be some before the oldest that is here. */
  hasOlder: boolean;
  loadOlder: () => void;
}
const NONE = { events: [] as Event[], error: null as Error | null, hasOlder: false };

function useEvents(task: string, project: string, kind: string, plumbing: boolean): Events {
  const [state, setState] = useState(NONE);
  useEffect(() => {
    let isWanted = true;
    let timer = 0;
    let after = -1;
    let isUnderWay = false;
    let isOld = false;
    const about = { task, project, kind, plumbing, titles: true };
    const ask = async () => {
      isUnderWay = true;
      isOld = false;
      try {
        const query = after < 0 ? { ...about, last: FIRST } : { ...about, after, limit: 1000 };
        const page = await call("get", "/api/events", { query: query as never });
        if (!isWanted) return;
        const isFresh = after < 0 || page.resync;
        after = page.next_after;
        const found = page.events.toReversed();
        setState((was) => {
          if (isFresh) return { events: found, error: null, hasOlder: found.length === FIRST };
          const all = [...found, ...was.events];
          return { events: all.slice(0, MOST), error: null, hasOlder: was.hasOlder || all.length > MOST };
        });
      } catch (error) {
        if (isWanted) setState((was) => ({ ...was, error: error as Error }));
      } finally {
        isUnderWay = false;
        if (isOld) soon();
      }
    };
    const soon = () => {
      if (isUnderWay) isOld = true;
      else
        timer ||= window.setTimeout(() => {
          timer = 0;
          void ask();
        }, GATHER_MS);
    };
    setState(NONE);
    void ask();
    const stop = onMessage((message) => {
      if (message.type === "resync") after = -1;
      if (message.type !== "daemon" || message.reachable) soon();
    });
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
      stop();
    };
  }, [task, project, kind, plumbing]);
  const { events } = state;
  const loadOlder = () => {
    const query = { task, project, kind, plumbing, titles: true, last: FIRST, before: events.at(-1)?.seq ?? 0 };
    call("get", "/api/events", { query: query as never }).then(
      (page) =>
        setState((was) =>
          was.events.at(-1)?.seq === events.at(-1)?.seq
            ? { events: [...was.events, ...page.events.toReversed()], error: null, hasOlder: page.events.length === FIRST }
            : was,
        ),
      (error: Error) => setState((was) => ({ ...was, error })),
    );
  };
  return { ...state, loadOlder };
}

/** Names of what stands in another column, and of what only the machinery needs. */
const HIDDEN = new Set(["task", "run", "project", "mission", "shim_pid", "pid", "boot", "log", "started_at", "ended_at", "incarnation"]);

function bodyOf(event: Event): string {
  return Object.entries(event.body)
    .filter(([name, value]) => !HIDDEN.has(name) && value !== "" && value !== null && value !== false && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" · ");
}

const HASH = /\b([0-9a-f]{9})[0-9a-f]{31}\b/g;
/** Shown by a mark, as the link, or as the time. */
const SHOWN_APART = new Set(["status", "reason", "title", "at"]);

/** The rest of it in words; a search finds it as it is kept, too. */
function wordsOf(event: Event): string {
  const body = Object.fromEntries(Object.entries(event.body).filter(([name]) => !SHOWN_APART.has(name) || (name === "title" && !event.title)));
  return bodyOf({ ...event, body })
    .replace(/(^| · )detail: /, "$1")
    .replace(HASH, "$1")
    .replace(/\b[a-z]+(?:_[a-z]+)+(?=:)/g, words);
}

const textOf = (event: Event): string => `${event.kind} ${words(event.kind)} ${event.subject ?? ""} ${event.title ?? ""} ${bodyOf(event)}`.toLowerCase();

function placeOf(event: Event): string {
  return event.task ? paths.task(event.task) : pathOf(event.subject ?? "");
}

function openSubject(event: Event): void {
  const place = placeOf(event);
  if (place) go(place);
}

/** What it is about, by the name that people gave it. */
function nameOf(event: Event): string {
  const [kind, id] = (event.subject ?? "").split(":", 2);
  const mission = kind === "mission" ? missions.get()?.find((one) => one.id === id)?.title : "";
  return event.title || mission || event.project_name || (event.subject ?? "").replace(":", " ");
}

function Row({ event, isHere }: { event: Event; isHere: boolean }) {
  const place = placeOf(event);
  const { status, reason } = event.body as { status?: unknown; reason?: unknown };
  const isState = typeof status === "string" && status !== "";
  const rest = wordsOf(isState ? event : { ...event, body: { ...event.body, ...(reason ? { why: reason } : {}) } });
  const body = (
    <>
      {isState && <State status={status} reason={typeof reason === "string" ? reason : ""} />} {rest}
    </>
  );
  const name = nameOf(event);
  const about = place ? (
    <a className="text-accent hover:underline" href={place}>
      {name}
    </a>
  ) : (
    name
  );
  const look = `overflow-hidden px-3 text-sm whitespace-nowrap hover:bg-sunken ${isHere ? "bg-pick" : ""}`;
  const at = (
    <time dateTime={event.at ?? ""} title={event.at ? moment(event.at) : ""} className="w-16 shrink-0 text-xs text-faint tabular-nums">
      {event.at && clock(event.at)}
    </time>
  );
  if (isNarrow.matches) {
    return (
      <div role="listitem" data-event={event.kind} className={`flex flex-col justify-center ${look}`} style={{ height: TALL_ROW }}>
        <span className="flex items-baseline">
          {at}
          <span className="mr-2 font-medium">{words(event.kind)}</span>
          <span className="min-w-0 truncate">{about}</span>
        </span>
        <span className="truncate pl-16 text-xs text-soft">{body}</span>
      </div>
    );
  }
  return (
    <div role="listitem" data-event={event.kind} className={`flex items-baseline gap-3 ${look}`} style={{ height: ROW, lineHeight: `${ROW}px` }}>
      {at}
      <span className="w-36 shrink-0 truncate font-medium sm:w-44">{words(event.kind)}</span>
      <span className="max-w-[40%] min-w-0 shrink-0 truncate">{about}</span>
      <span className="min-w-0 flex-1 truncate text-soft" title={bodyOf(event)}>
        {body}
      </span>
    </div>
  );
}
