// Tasks of the page: loaded once, then changed one by one by what the channel tells.
import { useCallback, useSyncExternalStore } from "react";

import { call, type Views } from "../api/client";
import type { Message } from "../api/events";
import { onMessage } from "./live";
import { signal } from "./signal";

export type Task = Views["ListedTask"];

const GATHER_MS = 150;
const SUMS_MS = 250;

const known = new Map<string, Task>();
const watchers = new Map<string, Set<() => void>>();
/** Another task is there, or one stands elsewhere. */
export const shape = signal(0);
/** Some status is another one; told a few times a second at most. */
export const sums = signal(0);
export const loadError = signal<Error | null>(null);
export const isLoaded = signal(false);

let newestSeq = 0;
let sumsTimer = 0;
const pending = { all: false, added: false, changed: new Set<string>() };
let timer = 0;
let isUnderWay = false;
/** What was told while a list was on its way: the list may be older than that. */
let meanwhile: Extract<Message, { type: "task_update" }>[] = [];

export const taskOf = (id: string): Task | undefined => known.get(id);
export const allTasks = (): IterableIterator<Task> => known.values();

export function useTask(id: string): Task | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      const of = watchers.get(id) ?? new Set();
      watchers.set(id, of.add(listener));
      return () => {
        of.delete(listener);
        if (of.size === 0) watchers.delete(id);
      };
    },
    [id],
  );
  return useSyncExternalStore(subscribe, () => known.get(id));
}

function put(task: Task): void {
  const before = known.get(task.id);
  known.set(task.id, task);
  newestSeq = Math.max(newestSeq, task.seq);
  for (const one of watchers.get(task.id) ?? []) one();
  if (before && before.status !== task.status) sumSoon();
}

function sumSoon(): void {
  if (sumsTimer) return;
  sumsTimer = window.setTimeout(() => {
    sumsTimer = 0;
    sums.set(sums.get() + 1);
  }, SUMS_MS);
}

function hear(message: Message): void {
  if (message.type === "task_update") {
    if (isUnderWay) meanwhile.push(message);
    const task = known.get(message.task_id);
    if (task) put(changedBy(task, message));
    else later(() => (pending.added = true));
  } else if (message.type === "task_added") {
    if (!known.has(message.task_id)) later(() => (pending.added = true));
  } else if (message.type === "task_changed" && message.kind === "task_changed") {
    later(() => pending.changed.add(message.task_id));
  } else if (message.type === "resync" || (message.type === "daemon" && message.reachable)) {
    later(() => (pending.all = true));
  }
}

function changedBy(task: Task, told: Extract<Message, { type: "task_update" }>): Task {
  const detail = told.message === told.reason.replaceAll("_", " ") ? "" : told.message;
  return { ...task, status: told.state, reason: told.reason, detail, changed_at: new Date().toISOString() };
}

function later(note: () => void): void {
  note();
  if (timer || isUnderWay) return;
  timer = window.setTimeout(() => {
    timer = 0;
    void ask();
  }, GATHER_MS);
}

/** One request for a burst: all of them, those that are newer than any that is known, or each that was named. */
async function ask(): Promise<void> {
  isUnderWay = true;
  const { all, added } = pending;
  const changed = all ? [] : [...pending.changed];
  Object.assign(pending, { all: false, added: false, changed: new Set() });
  try {
    if (all || !isLoaded.get()) await loadAll();
    else if (added) await loadNewer();
    for (const id of changed) if (known.has(id)) await loadOne(id);
    loadError.set(null);
  } catch (error) {
    loadError.set(error as Error);
  } finally {
    isUnderWay = false;
    for (const one of meanwhile) {
      const task = known.get(one.task_id);
      if (task) put(changedBy(task, one));
    }
    meanwhile = [];
    if (pending.all || pending.added || pending.changed.size) later(() => undefined);
  }
}

async function loadAll(): Promise<void> {
  const found = await call("get", "/api/work");
  const there = new Set(found.tasks.map((one) => one.id));
  for (const id of [...known.keys()]) if (!there.has(id)) known.delete(id);
  for (const one of found.tasks) put(one);
  isLoaded.set(true);
  shape.set(shape.get() + 1);
}

async function loadNewer(): Promise<void> {
  for (let more = true; more; ) {
    const page = await call("get", "/api/task-lines", { query: { after_seq: newestSeq, limit: 1000 } });
    for (const one of page.tasks) put(one);
    more = page.more;
  }
  shape.set(shape.get() + 1);
}

async function loadOne(id: string): Promise<void> {
  const { task } = await call("get", "/api/tasks/{task}", { path: { task: id } });
  put(task);
  shape.set(shape.get() + 1);
}

export function beginTasks(): void {
  onMessage(hear);
}
