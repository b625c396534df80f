// Shell of every page: where one can go, whether what is shown is fresh, and the keys that work everywhere.
import { useEffect, useState } from "react";

import { Boundary, onDemand } from "./parts/Boundary";
import { SaidLine } from "./parts/said";
import { KeyList } from "./parts/KeyList";
import { NewDialog, newDialog } from "./parts/NewDialog";
import { WorkPage } from "./pages/WorkPage";
import { TaskPage } from "./pages/TaskPage";
import { MissionsPage } from "./pages/MissionsPage";
import { QueuePage } from "./pages/QueuePage";
import { CrewPage } from "./pages/CrewPage";
import { EventsPage } from "./pages/EventsPage";
import { cursor, idOf, items, total } from "./state/attention";
import { isListShown, useKeys } from "./state/keys";
import { connection, isFollowing } from "./state/live";
import { chosenProject, projects } from "./state/projects";
import { go, paths, useRoute, type Route } from "./state/route";
import { useSignal } from "./state/signal";
import { CHOICES, theme } from "./state/theme";

const ReviewPage = onDemand("The review", () => import("./pages/ReviewPage"));

const PLACES = [
  { page: "work", name: "Work", href: paths.work, key: "w" },
  { page: "missions", name: "Missions", href: paths.missions, key: "m" },
  { page: "queue", name: "Queue", href: paths.queue, key: "q" },
  { page: "crew", name: "Crew", href: paths.crew, key: "c" },
  { page: "events", name: "Events", href: paths.events, key: "e" },
] as const;

export function App() {
  const route = useRoute();
  const waiting = useSignal(total);
  const isOpen = useSignal(newDialog);
  const isHelp = useSignal(isListShown);
  useEffect(() => {
    document.title = waiting ? `(${waiting}) Toryo` : "Toryo";
  }, [waiting]);
  useKeys("everywhere", [
    { key: "n", does: "new task or mission", run: () => newDialog.set({}) },
    { key: "?", does: "these keys", run: () => isListShown.set(true) },
    ...PLACES.map((one) => ({ key: `g ${one.key}`, does: one.name, run: () => go(one.href) })),
    {
      key: "g a",
      does: "what needs you",
      run: () => {
        go(paths.work);
        const first = items.get().find((one) => !one.answer);
        cursor.set(first ? idOf(first.need) : "");
      },
    },
  ]);
  return (
    <div className="flex h-full flex-col">
      <Header route={route} waiting={waiting} />
      <Stale />
      <main className="min-h-0 flex-1">
        <Boundary at={`${route.page} ${route.id}`}>
          <Page route={route} />
        </Boundary>
      </main>
      <BottomBar route={route} waiting={waiting} />
      {isOpen && <NewDialog begun={isOpen} onClose={() => newDialog.set(null)} />}
      {isHelp && <KeyList onClose={() => isListShown.set(false)} />}
      <SaidLine />
    </div>
  );
}

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case "work":
      return <WorkPage />;
    case "task":
      return <TaskPage key={route.id} id={route.id} first={route.query.get("tab") ?? ""} />;
    case "review":
      return <ReviewPage key={route.id} id={route.id} />;
    case "missions":
      return <MissionsPage id={route.id} />;
    case "queue":
      return <QueuePage />;
    case "crew":
      return <CrewPage />;
    case "events":
      return <EventsPage task={route.query.get("task") ?? ""} />;
    default:
      return (
        <p className="p-6">
          There is no page “{route.id}”. <a className="text-accent underline" href={paths.work}>Work</a> has everything.
        </p>
      );
  }
}

const isHere = (route: Route, page: string): boolean =>
  route.page === page || (page === "work" && (route.page === "task" || route.page === "review"));

function Header({ route, waiting }: { route: Route; waiting: number }) {
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-raised px-2 sm:px-3">
      <a href={paths.work} className="mr-2 flex items-center gap-2 font-semibold tracking-tight" aria-label="Toryo, to all work">
        <img src="/favicon.svg" alt="" width="22" height="22" />
        <span className="hidden sm:inline">Toryo</span>
      </a>
      <nav aria-label="pages" className="hidden h-full items-stretch md:flex">
        {PLACES.map((one) => (
          <a
            key={one.page}
            href={one.href}
            title={`g ${one.key}`}
            aria-current={isHere(route, one.page) ? "page" : undefined}
            className="flex items-center gap-1.5 border-b-2 border-transparent px-2.5 text-soft hover:text-ink aria-[current]:border-ask aria-[current]:text-ink"
          >
            {one.name}
            {one.page === "work" && <Count of={waiting} />}
          </a>
        ))}
      </nav>
      <span className="flex-1" />
      <ProjectChoice />
      <LineState />
      <ThemeSwitch />
      <button type="button" className="btn btn-bare hidden px-2 sm:inline-flex" title="keys (?)" aria-label="keys" onClick={() => isListShown.set(true)}>
        ?
      </button>
      <button type="button" className="btn btn-main ml-1" onClick={() => newDialog.set({})}>
        New <kbd className="hidden font-sans opacity-75 sm:inline">n</kbd>
      </button>
    </header>
  );
}

function BottomBar({ route, waiting }: { route: Route; waiting: number }) {
  return (
    <nav aria-label="pages of a narrow screen" className="flex h-12 shrink-0 border-t border-line bg-raised md:hidden">
      {PLACES.map((one) => (
        <a
          key={one.page}
          href={one.href}
          aria-current={isHere(route, one.page) ? "page" : undefined}
          className="flex flex-1 items-center justify-center gap-1 border-t-2 border-transparent text-xs text-soft aria-[current]:border-ask aria-[current]:text-ink"
        >
          {one.name}
          {one.page === "work" && <Count of={waiting} />}
        </a>
      ))}
    </nav>
  );
}

function Count({ of }: { of: number }) {
  if (!of) return null;
  return (
    <span className="rounded-full bg-ask-wash px-1.5 text-[0.6875rem] leading-4 font-semibold text-ask tabular-nums" title={`${of} need you`}>
      {of}
      <span className="sr-only"> need you</span>
    </span>
  );
}

function ProjectChoice() {
  const all = useSignal(projects);
  const chosen = useSignal(chosenProject);
  if (all.length < 2) return null;
  return (
    <select
      aria-label="project"
      className="field mr-1 h-7 w-auto max-w-32 py-0 text-sm"
      value={chosen}
      onChange={(event) => chosenProject.set(event.target.value)}
    >
      <option value="">all projects</option>
      {all.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

function LineState() {
  const { line } = useSignal(connection);
  const follows = useSignal(isFollowing);
  const [word, colour] = !follows ? ["paused", "bg-edge"] : line === "live" ? ["live", "bg-done"] : [line, "bg-fail"];
  return (
    <label className="flex h-7 items-center gap-1.5 rounded-md px-1.5 text-xs text-soft select-none hover:bg-sunken" title="auto-update">
      <input type="checkbox" aria-label="auto-update" className="accent-(--accent)" checked={follows} onChange={(event) => isFollowing.set(event.target.checked)} />
      <span className={`size-2 rounded-full ${colour}`} aria-hidden />
      <span className="hidden sm:inline">{word}</span>
    </label>
  );
}

const ICONS = { system: "◐", light: "☀", dark: "☾" };

function ThemeSwitch() {
  const chosen = useSignal(theme);
  const next = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length] ?? "system";
  return (
    <button type="button" className="btn btn-bare px-2" aria-label={`theme: ${chosen}; change to ${next}`} title={`theme: ${chosen}`} onClick={() => theme.set(next)}>
      {ICONS[chosen]}
    </button>
  );
}

function Stale() {
  const { line, why } = useSignal(connection);
  const follows = useSignal(isFollowing);
  const [since, setSince] = useState<Date | null>(null);
  const isBad = follows && line !== "live";
  useEffect(() => setSince(isBad ? new Date() : null), [isBad]);
  if (!follows) {
    return (
      <p role="status" className="shrink-0 bg-sunken px-3 py-1 text-sm text-soft">
        Not followed: this is how it was when you switched auto-update off.
      </p>
    );
  }
  if (!isBad) return null;
  const at = since && ` since ${since.toTimeString().slice(0, 8)}`;
  if (line === "refused") {
    return (
      <p role="status" className="shrink-0 bg-fail-wash px-3 py-1.5 text-sm text-fail">
        <strong className="font-semibold">Shut out</strong>
        {at}: this page&apos;s token is not valid any more. Type <code>toryo web</code> and open the address that it prints.
      </p>
    );
  }
  return (
    <p role="status" className="shrink-0 bg-wait-wash px-3 py-1.5 text-sm text-wait">
      <strong className="font-semibold">{line === "stale" ? "Stale" : "Not connected"}</strong>
      {at}: {line === "stale" ? (
        <>
          the daemon does not answer; <code>toryo up</code> starts it.
        </>
      ) : (
        why
      )}{" "}
      What you see is how it was then; it goes on by itself.
    </p>
  );
}
