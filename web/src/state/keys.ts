// Keys of the page: what is on screen says which keys it has, and `?` lists them.
import { useEffect, useRef } from "react";

import { signal } from "./signal";

export interface Key {
  /** `j`, `Enter`, `Escape`, or two in a row: `g w`. */
  key: string;
  does: string;
  run: (event: KeyboardEvent) => void;
  /** Not in the list: another name for one that is. */
  hidden?: boolean;
}
interface Group {
  name: string;
  keys: Key[];
}

const groups: Group[] = [];
export const isListShown = signal(false);
let first = "";
let timer = 0;

export const listed = (): readonly Group[] => groups.map((one) => ({ ...one, keys: one.keys.filter((key) => !key.hidden) }));

const isTyping = (at: EventTarget | null): boolean =>
  at instanceof HTMLElement && (at.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(at.tagName));

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isTyping(event.target)) {
    const isBox = event.target instanceof HTMLInputElement && event.target.type === "checkbox";
    if (event.key === "Escape" && !document.querySelector("dialog[open]")) (event.target as HTMLElement).blur();
    if (!isBox) return;
  }
  if (document.querySelector("dialog[open]")) return;
  // a button and a link have their own Enter and Space
  const isOwn = event.target instanceof HTMLElement && event.target.closest("button, a, summary") !== null;
  if (isOwn && (event.key === "Enter" || event.key === " ")) return;
  const whole = first ? `${first} ${event.key}` : event.key;
  window.clearTimeout(timer);
  first = "";
  const found = find(whole) ?? find(event.key);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (groups.some((group) => group.keys.some((one) => one.key.startsWith(`${event.key} `)))) {
    first = event.key;
    timer = window.setTimeout(() => (first = ""), 1200);
  }
}

/** What came last on the screen goes first. */
function find(key: string): Key | undefined {
  for (let at = groups.length - 1; at >= 0; at -= 1) {
    const found = groups[at]?.keys.find((one) => one.key === key);
    if (found) return found;
  }
  return undefined;
}

window.addEventListener("keydown", onKey);

export function useKeys(name: string, keys: Key[]): void {
  const newest = useRef(keys);
  newest.current = keys;
  useEffect(() => {
    const group: Group = {
      name,
      get keys() {
        return newest.current;
      },
    };
    groups.push(group);
    return () => {
      groups.splice(groups.indexOf(group), 1);
    };
  }, [name]);
}
