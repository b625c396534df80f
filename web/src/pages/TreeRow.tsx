// Row of the tree: a project, a mission or a task, each drawn anew only when it changed itself.
import { memo, useMemo } from "react";

import { Sign, State, words, worst } from "../parts/marks";
import { Ago } from "../parts/time";
import { withoutLines } from "../parts/words";
import { paths } from "../state/route";
import { useSignal } from "../state/signal";
import { sums, taskOf, useTask } from "../state/tasks";
import type { Row } from "../state/tree";

interface Props {
  row: Row;
  index: number;
  height: number;
  isChosen: boolean;
  onChoose: (index: number) => void;
  onFold: (row: Row) => void;
}

export const TreeRow = memo(function TreeRow({ row, index, height, isChosen, onChoose, onFold }: Props) {
  const isTall = height > 40;
  return (
    <div
      id={`row-${row.key}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isChosen}
      aria-expanded={row.isFolded === null ? undefined : !row.isFolded}
      data-task={row.kind === "task" ? row.id : undefined}
      data-mission={row.kind === "mission" ? row.id : undefined}
      className={`flex cursor-default items-center gap-1.5 overflow-hidden border-l-2 pr-2 hover:bg-sunken sm:pr-3 ${isChosen ? "border-l-accent bg-pick" : "border-l-transparent"}`}
      style={{ height, paddingLeft: `${0.35 + row.depth * (isTall ? 0.6 : 1.1)}rem` }}
      onClick={() => (row.kind === "task" ? onChoose(index) : onFold(row))}
    >
      <Fold row={row} onFold={onFold} />
      {row.kind === "task" ? <TaskCells row={row} isTall={isTall} /> : <GroupCells row={row} isTall={isTall} />}
    </div>
  );
});

function Fold({ row, onFold }: { row: Row; onFold: (row: Row) => void }) {
  if (row.isFolded === null) return <span className="w-4 shrink-0" />;
  return (
    <span
      aria-hidden
      className="w-4 shrink-0 cursor-pointer text-center text-xs text-faint select-none hover:text-ink"
      onClick={(event) => {
        event.stopPropagation();
        onFold(row);
      }}
    >
      {row.isFolded ? "▸" : "▾"}
    </span>
  );
}

function TaskCells({ row, isTall }: { row: Row; isTall: boolean }) {
  const task = useTask(row.id);
  if (!task) return <span className="text-faint">{row.id}</span>;
  const title = (
    <a href={paths.task(task.id)} className="min-w-0 truncate hover:underline" onClick={(event) => event.stopPropagation()} tabIndex={-1}>
      {task.title}
    </a>
  );
  const unit = task.unit && (
    <code className="max-w-40 shrink-0 truncate rounded bg-sunken px-1 text-xs text-soft" title={`unit ${task.unit}`}>
      {task.unit}
    </code>
  );
  const state = <State status={task.status} reason={task.reason} />;
  const message = (
    <span className="min-w-0 flex-1 truncate text-sm text-soft" title={withoutLines(task.detail)}>
      {task.reason.startsWith("dependency") && task.dependencies.length > 0 ? "" : withoutLines(task.detail)}
    </span>
  );
  const below = row.isFolded && <Below ids={row.below} />;
  if (isTall) {
    return (
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex items-center gap-1">
          <Sign status={task.status} />
          {unit}
          {title}
          <Ago at={task.changed_at} className="ml-auto pl-2 text-xs text-faint" />
        </span>
        <span className="flex items-center gap-1.5 pl-6">
          {state}
          {below}
          <Needs ids={task.dependencies} />
          {message}
        </span>
      </span>
    );
  }
  return (
    <>
      <Sign status={task.status} />
      <span className="flex max-w-[55%] min-w-0 shrink-0 items-center gap-1.5">
        {unit}
        {title}
      </span>
      {state}
      {below}
      <Needs ids={task.dependencies} />
      {message}
      <span className="hidden max-w-24 truncate text-xs text-faint lg:inline">{task.agent}</span>
      <code className="hidden text-xs text-faint md:inline">{task.id}</code>
      <Ago at={task.changed_at} className="w-14 shrink-0 text-right text-xs text-faint" />
    </>
  );
}

/** What it waits for that is not done yet, as links. */
function Needs({ ids }: { ids: readonly string[] }) {
  useSignal(sums);
  const open = ids.filter((one) => taskOf(one)?.status !== "done");
  if (!open.length) return null;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5 text-xs whitespace-nowrap text-faint">
      after
      {open.slice(0, 2).map((one) => (
        <a key={one} href={paths.task(one)} title={one} className="max-w-44 truncate text-accent hover:underline" tabIndex={-1} onClick={(event) => event.stopPropagation()}>
          {taskOf(one)?.title ?? one}
        </a>
      ))}
      {open.length > 2 && `and ${open.length - 2} more`}
    </span>
  );
}

function GroupCells({ row, isTall }: { row: Row; isTall: boolean }) {
  if (row.kind === "mission" && row.mission) {
    const { id, status, reason, detail } = row.mission;
    return (
      <>
        <Sign status={status} />
        <a href={paths.mission(id)} className="min-w-0 truncate font-medium hover:underline" onClick={(event) => event.stopPropagation()} tabIndex={-1}>
          {row.title}
        </a>
        <State status={status} reason={isTall ? "" : reason} />
        {row.isFolded && <Below ids={row.below} />}
        <span className="hidden min-w-0 flex-1 truncate text-sm text-soft sm:inline">{detail}</span>
        <Progress ids={row.below} />
      </>
    );
  }
  return (
    <>
      <span className={`min-w-0 truncate ${row.kind === "project" ? "font-semibold" : "text-soft"}`}>{row.title}</span>
      {row.isFolded && <Below ids={row.below} />}
      {row.kind === "project" && <Progress ids={row.below} />}
    </>
  );
}

/** The worst of what is folded away. */
function Below({ ids }: { ids: readonly string[] }) {
  const version = useSignal(sums);
  const found = useMemo(() => worst(ids.map((one) => taskOf(one)?.status ?? "unknown")), [ids, version]);
  if (!found) return null;
  const reason = ids.map(taskOf).find((one) => one?.status === found)?.reason ?? "";
  return (
    <span className="flex min-w-0 items-center gap-1 text-xs text-faint" data-worst={found}>
      worst of {ids.length}: <State status={found} reason={words(reason)} />
    </span>
  );
}

function Progress({ ids }: { ids: readonly string[] }) {
  const version = useSignal(sums);
  const done = useMemo(() => ids.reduce((sum, one) => sum + (taskOf(one)?.status === "done" ? 1 : 0), 0), [ids, version]);
  if (!ids.length) return null;
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2 text-xs text-faint tabular-nums">
      <span className="hidden h-1 w-16 overflow-hidden rounded-full bg-line sm:block" aria-hidden>
        <span className="block h-full bg-done" style={{ width: `${(100 * done) / ids.length}%` }} />
      </span>
      {done}/{ids.length} done
    </span>
  );
}
