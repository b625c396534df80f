// Work: what needs a person, above the tree of everything; the log of the chosen task below.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import { press } from "../parts/Answers";
import { Failure } from "../parts/said";
import { Windowed } from "../parts/Windowed";
import { cursor, idOf, items } from "../state/attention";
import { useKeys } from "../state/keys";
import { missions } from "../state/missions";
import { chosenProject, projects } from "../state/projects";
import { go, pathOf, paths } from "../state/route";
import { signal, useSignal } from "../state/signal";
import { allTasks, isLoaded, loadError, shape, sums } from "../state/tasks";
import { matches, rowsOf, type Row } from "../state/tree";
import { Attention, FIRST, isWholeShown } from "./Attention";
import { TaskDrawer } from "./TaskDrawer";
import { TreeRow } from "./TreeRow";

// they stay while one is on another page
const folds = signal<ReadonlyMap<string, boolean>>(new Map());
const filter = signal({ text: "", status: "" });
const place = signal({ row: "", top: 0, log: "" });

const STATUSES = ["running", "verifying", "landing", "needs_review", "blocked", "ready", "open", "done", "failed", "cancelled"];
const isNarrow = window.matchMedia("(max-width: 639px)");

export function WorkPage() {
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const [rowHeight, setRowHeight] = useState(isNarrow.matches ? 46 : 28);
  const rows = useRows();
  const { row: chosen, log } = useSignal(place);
  const error = useSignal(loadError);
  const loaded = useSignal(isLoaded);
  const at = useMemo(() => rows.findIndex((one) => one.key === chosen), [rows, chosen]);
  const [follow, setFollow] = useState(-1);

  useEffect(() => {
    const change = () => setRowHeight(isNarrow.matches ? 46 : 28);
    isNarrow.addEventListener("change", change);
    return () => isNarrow.removeEventListener("change", change);
  }, []);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box) box.scrollTop = place.get().top;
    return () => place.set({ ...place.get(), top: box?.scrollTop ?? 0 });
  }, [loaded]);

  const choose = useCallback((index: number, opens: boolean) => {
    const row = rows[index];
    if (!row) return;
    const was = place.get();
    const isTask = row.kind === "task";
    place.set({ ...was, row: row.key, log: isTask && (opens || was.log) ? row.id : was.log });
    setFollow(index);
  }, [rows]);
  const fold = useCallback((row: Row, to?: boolean) => {
    if (row.isFolded === null) return;
    folds.set(new Map(folds.get()).set(row.key, to ?? !row.isFolded));
  }, []);
  const onRow = useCallback(
    (index: number) => {
      cursor.set("");
      choose(index, true);
    },
    [choose],
  );
  const here = rows[at];
  const { need, next, ends } = useNeedStep();
  const toRow = (index: number, opens = false) => {
    cursor.set("");
    choose(index, opens);
  };
  /** What needs a person stands above the tree, and is walked through first. */
  const step = (by: number) => {
    const isAbove = at < 0 || (at === 0 && by < 0);
    const to = need ? next(by) : isAbove ? ends(by) : undefined;
    if (to !== undefined) cursor.set(to);
    else if (need || at < 0) {
      if (by > 0 || !need) toRow(0);
    } else toRow(Math.min(rows.length - 1, Math.max(0, at + by)));
  };
  /** On an item that needs a person its own button; on a task's row that of the panel below, which opens. */
  const answer = (key: string) => {
    if (need) press(`[data-need-id="${CSS.escape(need)}"]`, key);
    else if (here?.kind === "task") {
      toRow(at, true);
      window.setTimeout(() => press("[data-drawer-answers]", key), 0);
    }
  };
  const open = () => {
    const item = items.get().find((one) => idOf(one.need) === need)?.need;
    if (item) go(pathOf(item.subject) || paths.work);
    else if (here?.kind === "task") go(paths.task(here.id));
    else if (here?.kind === "mission") go(paths.mission(here.id));
    else if (here) fold(here);
  };
  useKeys("work", [
    { key: "j", does: "next: what needs you first, then the rows", run: () => step(1) },
    { key: "k", does: "the one before", run: () => step(-1) },
    { key: "a", does: "approve what the cursor is on", run: () => answer("a") },
    { key: "x", does: "reject it, with a reason", run: () => answer("x") },
    { key: "m", does: "say something to it, or answer it", run: () => answer("m") },
    { key: "ArrowDown", does: "next row", run: () => step(1), hidden: true },
    { key: "ArrowUp", does: "row before", run: () => step(-1), hidden: true },
    { key: "Home", does: "first row", run: () => toRow(0) },
    { key: "End", does: "last row", run: () => toRow(rows.length - 1) },
    { key: "Enter", does: "open the task or mission", run: open },
    { key: "o", does: "its log, below", run: () => at >= 0 && toRow(at, true) },
    { key: " ", does: "fold or unfold", run: () => here && fold(here) },
    { key: "h", does: "fold", run: () => here && fold(here, true) },
    { key: "l", does: "unfold", run: () => here && fold(here, false) },
    { key: "ArrowLeft", does: "fold", run: () => here && fold(here, true), hidden: true },
    { key: "ArrowRight", does: "unfold", run: () => here && fold(here, false), hidden: true },
    { key: "/", does: "filter", run: () => search.current?.focus() },
    {
      key: "Escape",
      does: "close the log, then the filter",
      run: () => (log ? place.set({ ...place.get(), log: "" }) : filter.set({ text: "", status: "" })),
    },
  ]);
  return (
    <div className="flex h-full flex-col">
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]" data-scroller>
        <Still scroller={scroller}>
          <Attention />
        </Still>
        <Toolbar search={search} count={rows.filter((one) => one.kind === "task").length} />
        <Failure error={error} />
        {loaded && rows.length === 0 && <Nothing />}
        {!loaded && !error && <p className="px-3 py-2 text-sm text-faint">Loading the work …</p>}
        <Windowed
          count={rows.length}
          rowHeight={rowHeight}
          scroller={scroller}
          at={follow}
          role="tree"
          label="tasks"
          active={here ? `row-${here.key}` : undefined}
          row={(index) => {
            const one = rows[index];
            return one && <TreeRow key={one.key} row={one} index={index} height={rowHeight} isChosen={one.key === chosen && !need} onChoose={onRow} onFold={fold} />;
          }}
        />
        <div className="h-10" />
      </div>
      {log && <TaskDrawer id={log} onClose={() => place.set({ ...place.get(), log: "" })} />}
    </div>
  );
}

/** Steps through what needs a person and is shown; what was answered is passed over, and keeps its place. */
function useNeedStep(): { need: string; next: (by: number) => string | undefined; ends: (by: number) => string | undefined } {
  const all = useSignal(items);
  const need = useSignal(cursor);
  const isWhole = useSignal(isWholeShown);
  const lastAt = useRef(0);
  const shown = isWhole ? all : all.slice(0, FIRST);
  const found = shown.findIndex((one) => idOf(one.need) === need);
  useEffect(() => {
    if (found >= 0) lastAt.current = found;
  }, [found]);
  const idAt = (at: number) => shown[at] && !shown[at].answer && idOf(shown[at].need);
  const first = (places: number[]) => places.map(idAt).find(Boolean) || undefined;
  const places = [...shown.keys()];
  return {
    need,
    next: (by) => {
      // it has left the list: those behind it have moved up to its place
      const at = found >= 0 ? found : lastAt.current - (by > 0 ? 1 : 0);
      return first(by > 0 ? places.filter((one) => one > at) : places.filter((one) => one < at).reverse());
    },
    ends: (by) => first(by > 0 ? places : [...places].reverse()),
  };
}

/** Rows are made anew when a task comes or a person asks for it, not when a status changes: nothing moves under the hand. */
function useRows(): Row[] {
  const version = useSignal(shape);
  const all = useSignal(missions);
  const known = useSignal(projects);
  const chosenFolds = useSignal(folds);
  const project = useSignal(chosenProject);
  const wanted = useSignal(filter);
  return useMemo(
    () => rowsOf({ tasks: allTasks(), missions: all ?? [], projects: known, wanted: { ...wanted, project }, folds: chosenFolds, now: Date.now() }),
    // eslint-disable-next-line -- `version` says that `allTasks` has others now
    [version, all, known, chosenFolds, project, wanted],
  );
}

/** What is below stays where it is when what is in here grows; not every browser anchors by itself. */
function Still({ scroller, children }: { scroller: React.RefObject<HTMLElement | null>; children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const height = useRef(-1);
  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => {
      const now = box.current?.offsetHeight ?? 0;
      const by = now - height.current;
      const first = height.current < 0;
      height.current = now;
      const outer = scroller.current;
      if (first || !outer || by === 0) return;
      // at the very top one wants to see it come; anywhere else one is reading
      if (outer.scrollTop > 0) outer.scrollTop += by;
    });
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, [scroller]);
  return (
    <div ref={box}>{children}</div>
  );
}

function Toolbar({ search, count }: { search: React.RefObject<HTMLInputElement | null>; count: number }) {
  const wanted = useSignal(filter);
  useSignal(sums);
  useSignal(shape);
  const project = useSignal(chosenProject);
  const sum = new Map<string, number>();
  const asked = { text: wanted.text.trim().toLowerCase(), status: "", project };
  for (const one of allTasks()) {
    if ((!project || one.project === project) && matches(one, asked)) sum.set(one.status, (sum.get(one.status) ?? 0) + 1);
  }
  return (
    <div className="sticky top-0 z-10 flex items-center gap-2 overflow-x-auto bg-paper px-2 py-2 sm:px-3">
      <input
        ref={search}
        type="search"
        aria-label="filter the tasks"
        placeholder="Filter  /"
        className="field h-7 w-36 shrink-0 py-0 sm:w-56"
        value={wanted.text}
        onChange={(event) => filter.set({ ...wanted, text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") filter.set({ ...wanted, text: "" });
        }}
      />
      <div role="group" aria-label="statuses" className="flex shrink-0 items-center gap-1">
        {STATUSES.filter((one) => sum.get(one) || wanted.status === one).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={wanted.status === one}
            onClick={() => filter.set({ ...wanted, status: wanted.status === one ? "" : one })}
            className="rounded-md px-1.5 py-0.5 text-xs whitespace-nowrap text-soft hover:bg-sunken aria-pressed:bg-accent aria-pressed:text-on-accent"
          >
            {one.replace("_", " ")} <span className="tabular-nums">{sum.get(one) ?? 0}</span>
          </button>
        ))}
      </div>
      {(wanted.text || wanted.status) && (
        <span className="shrink-0 text-xs text-faint">
          {count} shown ·{" "}
          <button type="button" className="underline hover:text-ink" onClick={() => filter.set({ text: "", status: "" })}>
            clear
          </button>
        </span>
      )}
    </div>
  );
}

function Nothing() {
  const wanted = useSignal(filter);
  const isNarrowed = wanted.text || wanted.status;
  return (
    <div className="px-3 py-8 text-center text-soft">
      {isNarrowed ? (
        <p>No task fits that.</p>
      ) : (
        <>
          <p className="mb-1">No work yet.</p>
          <p className="text-sm text-faint">
            Press <kbd className="rounded border border-edge bg-sunken px-1.5">n</kbd> for a task or a mission; <code>toryo init</code> in a repository adds a project.
          </p>
        </>
      )}
    </div>
  );
}

