// Log of a run as it is followed: its end first, what is added, and the pages above it when they are asked for.
import { useCallback, useEffect, useRef, useState } from "react";

import { call, type Views } from "../api/client";
import { isFollowing } from "./live";

const PIECE = 65_536;
const END = Number.MAX_SAFE_INTEGER;
const MOST_LINES = 30_000;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 4000;

type Page = Views["LogPage"];
export interface Log {
  lines: readonly string[];
  /** Number of the first line that is here; lines keep their numbers when more is read. */
  first: number;
  page: Page | null;
  /** Where the first line begins; 0: nothing is above it. */
  start: number;
  ended: boolean;
  error: Error | null;
  /** The page above. */
  readBefore: () => void;
}

const EMPTY = { lines: [] as readonly string[], first: 0, page: null as Page | null, start: 0, ended: false, error: null as Error | null };

async function pageOf(run: string, query: { offset?: number; before?: number }): Promise<Page> {
  return call("get", "/api/runs/{run}/log", { path: { run }, query: { limit: PIECE, colours: true, ...query } as never });
}

/** Reads on while the run lives, and rarer while it prints nothing; nothing at all once it has ended. */
export function useLog(run: string): Log {
  const [state, setState] = useState(EMPTY);
  const isReading = useRef(false);

  useEffect(() => {
    if (!run) return;
    let isWanted = true;
    let timer = 0;
    let offset = -1;
    let pause = FIRST_PAUSE_MS;
    setState(EMPTY);
    const read = async () => {
      if ((document.hidden || !isFollowing.get()) && offset >= 0) return later();
      try {
        const page = await pageOf(run, offset < 0 ? { before: END } : { offset });
        if (!isWanted) return;
        const isFirst = offset < 0;
        offset = page.next_offset;
        if (isFirst || page.text || page.ended) setState((was) => added(was, page, isFirst));
        pause = page.text ? FIRST_PAUSE_MS : Math.min(pause * 1.6, LONGEST_PAUSE_MS);
        if (page.ended || (isFirst && page.ended_at && page.next_offset >= page.size)) return;
      } catch (error) {
        if (!isWanted) return;
        setState((was) => ({ ...was, error: error as Error }));
        pause = LONGEST_PAUSE_MS;
      }
      later();
    };
    const later = () => {
      timer = window.setTimeout(() => void read(), pause);
    };
    void read();
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
    };
  }, [run]);

  const { start } = state;
  const readBefore = useCallback(() => {
    if (isReading.current || start <= 0) return;
    isReading.current = true;
    pageOf(run, { before: start })
      .then(
        (page) => setState((was) => (was.start === start ? above(was, page) : was)),
        (error: Error) => setState((was) => ({ ...was, error })),
      )
      .finally(() => (isReading.current = false));
  }, [run, start]);
  return { ...state, readBefore };
}

function added(was: typeof EMPTY, page: Page, isFirst: boolean): typeof EMPTY {
  const pieces = page.text.split("\n");
  // the last line is shown while it is not whole yet
  const kept = was.lines.slice(0, -1);
  const all = isFirst ? pieces : [...kept, (was.lines.at(-1) ?? "") + (pieces[0] ?? ""), ...pieces.slice(1)];
  const over = Math.max(0, all.length - MOST_LINES);
  return {
    lines: over ? all.slice(over) : all,
    first: was.first + over,
    page,
    start: isFirst ? page.start : was.start,
    ended: page.ended || (page.ended_at !== null && page.next_offset >= page.size),
    error: null,
  };
}

function above(was: typeof EMPTY, page: Page): typeof EMPTY {
  const pieces = page.text.split("\n");
  const joined = (pieces.pop() ?? "") + (was.lines[0] ?? "");
  return { ...was, lines: [...pieces, joined, ...was.lines.slice(1)], first: was.first - pieces.length, start: page.start, error: null };
}

export interface Found {
  matches: readonly Views["LogMatch"][];
  isWhole: boolean;
}

/** In all of it, not in what is shown alone. */
export async function searchLog(run: string, text: string): Promise<Found> {
  const found: Views["LogMatch"][] = [];
  for (let offset = 0, at = 0; at < 4; at += 1) {
    const page = await call("get", "/api/runs/{run}/log/search", { path: { run }, query: { text, any_case: true, offset, limit: 200 } });
    found.push(...page.matches);
    if (page.ended) return { matches: found, isWhole: true };
    offset = page.next_offset;
  }
  return { matches: found, isWhole: false };
}
