// Tree of the work: project → mission → task, in an order that never changes. Pure.
import type { MissionLine } from "./missions";
import type { Project } from "./projects";
import type { Task } from "./tasks";

export interface Row {
  key: string;
  kind: "project" | "mission" | "older" | "task";
  /** Of the project, the mission or the task. */
  id: string;
  depth: number;
  title: string;
  /** Null: nothing is below it. */
  isFolded: boolean | null;
  /** Tasks below it, at any depth. */
  below: readonly string[];
  mission?: MissionLine;
}

export interface Wanted {
  text: string;
  /** A status; empty: all. */
  status: string;
  project: string;
}

const DAY_MS = 24 * 3600 * 1000;
const ENDED = new Set(["done", "failed", "cancelled"]);
const MISSION_ENDED = new Set(["completed", "failed", "cancelled"]);

interface Given {
  tasks: Iterable<Task>;
  missions: readonly MissionLine[];
  projects: readonly Project[];
  wanted: Wanted;
  /** By key of a row, what a person chose; else what is old is folded. */
  folds: ReadonlyMap<string, boolean>;
  now: number;
}

export const isOld = (at: string | null, now: number): boolean => at !== null && now - Date.parse(at) > DAY_MS;
export const matches = (task: Task, wanted: Wanted): boolean => {
  if (wanted.status && task.status !== wanted.status) return false;
  if (!wanted.text) return true;
  const text = `${task.title} ${task.id} ${task.unit ?? ""} ${task.agent} ${task.status} ${task.reason}`.toLowerCase();
  return wanted.text.split(/\s+/).every((one) => text.includes(one));
};

export function rowsOf({ tasks, missions, projects, wanted, folds, now }: Given): Row[] {
  const asked = { ...wanted, text: wanted.text.trim().toLowerCase() };
  const isNarrowed = asked.text !== "" || asked.status !== "";
  const children = new Map<string, Task[]>();
  const kept: Task[] = [];
  for (const task of tasks) if (!asked.project || task.project === asked.project) kept.push(task);
  kept.sort((one, other) => one.seq - other.seq);
  const ids = new Set(kept.map((one) => one.id));
  const add = (key: string, task: Task) => {
    const there = children.get(key);
    if (there) there.push(task);
    else children.set(key, [task]);
  };
  for (const task of kept) {
    if (task.parent && ids.has(task.parent)) add(`task:${task.parent}`, task);
    else if (task.mission) add(`mission:${task.mission}`, task);
    else add(`project:${task.project}`, task);
  }
  const wantedIds = isNarrowed ? new Set(kept.filter((one) => matches(one, asked)).map((one) => one.id)) : ids;
  const rows: Row[] = [];

  const below = (key: string): string[] => {
    const found: string[] = [];
    for (const one of children.get(key) ?? []) {
      if (wantedIds.has(one.id)) found.push(one.id);
      found.push(...below(`task:${one.id}`));
    }
    return found;
  };
  const folded = (key: string, first: boolean): boolean => (isNarrowed ? false : (folds.get(key) ?? first));
  const putTask = (task: Task, depth: number) => {
    const key = `task:${task.id}`;
    const inner = children.has(key) ? below(key) : [];
    if (!wantedIds.has(task.id) && inner.length === 0) return;
    const isFolded = inner.length ? folded(key, ENDED.has(task.status) && isOld(task.changed_at, now)) : null;
    rows.push({ key, kind: "task", id: task.id, depth, title: task.title, isFolded, below: inner });
    if (isFolded === false) for (const one of children.get(key) ?? []) putTask(one, depth + 1);
  };
  const putMission = (mission: MissionLine, depth: number) => {
    const key = `mission:${mission.id}`;
    const inner = below(key);
    if (isNarrowed && inner.length === 0) return;
    const isFolded = inner.length ? folded(key, MISSION_ENDED.has(mission.status) && isOld(mission.changed_at, now)) : null;
    rows.push({ key, kind: "mission", id: mission.id, depth, title: mission.title || mission.id, isFolded, below: inner, mission });
    if (isFolded === false) for (const one of children.get(key) ?? []) putTask(one, depth + 1);
  };
  const putLoose = (project: string, depth: number) => {
    const loose = children.get(`project:${project}`) ?? [];
    const old = isNarrowed ? [] : loose.filter((one) => ENDED.has(one.status) && isOld(one.changed_at, now));
    if (old.length > 3) {
      const key = `older:${project}`;
      const isFolded = folded(key, true);
      const title = `${old.length} tasks that ended more than a day ago`;
      rows.push({ key, kind: "older", id: project, depth, title, isFolded, below: old.map((one) => one.id) });
      if (!isFolded) for (const one of old) putTask(one, depth + 1);
    }
    const isInOlder = new Set(old.length > 3 ? old : []);
    for (const one of loose) if (!isInOlder.has(one)) putTask(one, depth);
  };
  for (const project of projects) {
    if (asked.project && project.id !== asked.project) continue;
    const own = missions.filter((one) => one.project === project.id).sort((one, other) => one.seq - other.seq);
    const all = [...own.flatMap((one) => below(`mission:${one.id}`)), ...below(`project:${project.id}`)];
    if (isNarrowed && all.length === 0) continue;
    const key = `project:${project.id}`;
    const isFolded = folded(key, false);
    rows.push({ key, kind: "project", id: project.id, depth: 0, title: project.name, isFolded, below: all });
    if (isFolded) continue;
    for (const one of own) putMission(one, 1);
    putLoose(project.id, 1);
  }
  return rows;
}
