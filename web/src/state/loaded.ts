// Loading for a page: once, and again when a message says that it changed; one request for a burst of them.
import { useCallback, useEffect, useRef, useState } from "react";

import type { Message } from "../api/events";
import { isFollowing, onMessage } from "./live";

const GATHER_MS = 120;
const PAUSE_MS = 700;

export interface Loaded<T> {
  data: T | null;
  error: Error | null;
  reload: () => void;
}

/** `concerns`: whether a message makes what is shown old; `key`: of what is shown, another one begins anew. */
export function useLoaded<T>(key: string, load: () => Promise<T>, concerns: (message: Message) => boolean): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: Error | null }>({ key, data: null, error: null });
  const newest = useRef({ load, concerns });
  newest.current = { load, concerns };
  const again = useRef<() => void>(() => undefined);

  useEffect(() => {
    let isWanted = true;
    let isUnderWay = false;
    let isOld = false;
    let isAsked = false;
    let timer = 0;
    let lastAt = 0;
    const ask = () => {
      isUnderWay = true;
      isOld = isAsked = false;
      lastAt = performance.now();
      newest.current
        .load()
        .then(
          (data) => isWanted && setState({ key, data, error: null }),
          (error: Error) => isWanted && setState((was) => ({ key, data: was.key === key ? was.data : null, error })),
        )
        .finally(() => {
          isUnderWay = false;
          if (isOld) soon();
        });
    };
    const soon = () => {
      if (!isWanted) return;
      if (isUnderWay) {
        isOld = true;
        return;
      }
      if (timer) return;
      const wait = Math.max(GATHER_MS, PAUSE_MS - (performance.now() - lastAt));
      timer = window.setTimeout(() => {
        timer = 0;
        // switched off meanwhile: what is shown stays, unless a person did something
        if (isFollowing.get() || isAsked) ask();
      }, wait);
    };
    again.current = () => {
      isAsked = true;
      soon();
    };
    ask();
    const stop = onMessage((message) => {
      const isBack = message.type === "daemon" && message.reachable;
      if (message.type === "resync" || isBack || newest.current.concerns(message)) soon();
    });
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
      stop();
    };
  }, [key]);

  const reload = useCallback(() => again.current(), []);
  return state.key === key ? { data: state.data, error: state.error, reload } : { data: null, error: null, reload };
}
