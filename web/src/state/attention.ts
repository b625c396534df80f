// Attention of the page: what needs a person, in the order in which it was first shown, and how each was answered.
import { call, Refusal, type Views } from "../api/client";
import { onMessage } from "./live";
import { chosenProject } from "./projects";
import { signal } from "./signal";

export type Need = Views["NeedsPerson"];
export interface Item {
  need: Need;
  /** Empty: it still waits. */
  answer: string;
  answeredAt: number;
}

const GATHER_MS = 80;
/** An answered item stays so long, and longer while somebody's hand is on the list. */
const SHOWN_MS = 12_000;

export const items = signal<readonly Item[]>([]);
/** How many there are in all, of the chosen project; the list has the first of them. */
export const total = signal(0);
/** Whether a new ranking would look otherwise: the list itself never moves under the hand. */
export const isOutOfRank = signal(false);
export const isAttentionLoaded = signal(false);

/** Id of the item that the keyboard is on; empty: none. */
export const cursor = signal("");

let ranked: readonly string[] = [];
let isUnderHand = false;
let timer = 0;

/** A subject may wait for two things at once: messages that nobody took are beside what it waits for itself. */
export const idOf = (need: Need): string => (need.reason === "undelivered" ? `${need.subject} messages` : need.subject);
const keyOf = (need: Need): string => `${need.subject} ${need.status} ${need.reason}`;
const waiting = (): Item[] => items.get().filter((one) => !one.answer);

async function load(): Promise<void> {
  const project = chosenProject.get();
  let found: Views["Attention"];
  try {
    found = await call("get", "/api/attention", { query: { project } });
  } catch {
    return; // the banner says that the daemon is away
  }
  if (project !== chosenProject.get()) return; // the one of the other project is on its way
  total.set(Math.max(found.needs_you.length, Object.values(found.needs_you_counts).reduce((sum, one) => sum + one, 0)));
  merge(found.needs_you);
  isAttentionLoaded.set(true);
}

function merge(needs: readonly Need[]): void {
  const now = new Map(needs.map((one) => [idOf(one), one]));
  const before = items.get();
  const gone: Item[] = [];
  const kept = before.map((item) => {
    const need = now.get(idOf(item.need));
    if (need && (!item.answer || keyOf(need) !== keyOf(item.need))) return { need, answer: "", answeredAt: 0 };
    if (!need && !item.answer) gone.push(item);
    return item;
  });
  const there = new Set(before.map((one) => idOf(one.need)));
  const added = needs.filter((one) => !there.has(idOf(one))).map((need) => ({ need, answer: "", answeredAt: 0 }));
  items.set([...kept, ...added]);
  ranked = needs.map(idOf);
  sayRank();
  const isCut = total.get() > needs.length;
  for (const one of gone) void seeOff(one, isCut);
  if (items.get().some((one) => one.answer)) leaveLater();
}

/** It is not listed any more: answered elsewhere, with these words, or pushed off the list by what ranks before it. */
async function seeOff({ need }: Item, isCut: boolean): Promise<void> {
  let answer: string | null;
  try {
    answer = isCut && need.reason === "undelivered" ? null : await answerOf(need);
  } catch (error) {
    if (!(error instanceof Refusal)) return; // the next list tells
    answer = isCut ? null : "answered";
  }
  if (ranked.includes(idOf(need)) || !waiting().some((one) => keyOf(one.need) === keyOf(need))) return;
  if (answer !== null) note(need, answer);
  else items.set(items.get().filter((one) => idOf(one.need) !== idOf(need)));
  sayRank();
}

function sayRank(): void {
  const shown = waiting().map((one) => idOf(one.need));
  const wanted = ranked.filter((one) => shown.includes(one));
  isOutOfRank.set(wanted.join() !== shown.join());
}

export function rankAgain(): void {
  const place = new Map(ranked.map((one, at) => [one, at]));
  const rank = (one: Item): number => place.get(idOf(one.need)) ?? ranked.length;
  items.set(waiting().sort((one, other) => rank(one) - rank(other)));
  isOutOfRank.set(false);
}

/** What was said about it, as the store has it, and what it is now; null: it still waits for the same. */
async function answerOf(need: Need): Promise<string | null> {
  const isStill = (now: { status: string; reason: string }) => now.status === need.status && now.reason === need.reason;
  if (need.subject.startsWith("mission:")) {
    const { mission } = await call("get", "/api/missions/{mission}", { path: { mission: need.task } });
    if (isStill(mission)) return null;
    const said = [...mission.messages].reverse().find((one) => one.who === "person");
    return `${said ? `“${said.text}” · ` : ""}now ${mission.status.replaceAll("_", " ")}`;
  }
  const { task } = await call("get", "/api/tasks/{task}", { path: { task: need.task } });
  const verb = task.verbs.at(-1);
  const isOver = verb?.verb === "dismiss" || need.reason === "undelivered";
  if (isStill(task) && !isOver) return null;
  const words = verb ? `${verb.verb.replaceAll("_", " ")}${verb.note ? ` “${verb.note}”` : ""} · ` : "";
  return `${words}now ${task.status.replaceAll("_", " ")}${task.reason ? ` (${task.reason.replaceAll("_", " ")})` : ""}`;
}

/** This item was answered, with these words. */
export function note(need: Need, answer: string): void {
  items.set(
    items.get().map((one) => (idOf(one.need) === idOf(need) ? { ...one, answer, answeredAt: Date.now() } : one)),
  );
  sayRank();
  leaveLater();
}

let leaving = 0;
function leaveLater(): void {
  leaving ||= window.setTimeout(() => {
    leaving = 0;
    const old = Date.now() - SHOWN_MS;
    if (!isUnderHand) items.set(items.get().filter((one) => !one.answer || one.answeredAt > old));
    if (items.get().some((one) => one.answer)) leaveLater();
  }, 2000);
}

export const setUnderHand = (is: boolean): void => {
  isUnderHand = is;
};

export function beginAttention(): void {
  chosenProject.subscribe(() => {
    items.set([]);
    total.set(0);
    isAttentionLoaded.set(false);
    void load();
  });
  onMessage((message) => {
    const isBack = message.type === "daemon" && message.reachable;
    if (message.type !== "attention" && message.type !== "resync" && !isBack) return;
    timer ||= window.setTimeout(() => {
      timer = 0;
      void load();
    }, GATHER_MS);
  });
}
