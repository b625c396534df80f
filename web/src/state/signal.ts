// Signals: a value outside of React that components can watch.
import { useSyncExternalStore } from "react";

export interface Signal<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function signal<T>(first: T): Signal<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const one of [...listeners]) one();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useSignal<T>(of: Signal<T>): T {
  return useSyncExternalStore(of.subscribe, of.get);
}

/** Kept in this browser; what is not readable any more is the first value again. */
export function keptSignal<T>(name: string, first: T, isRight: (value: unknown) => value is T): Signal<T> {
  const key = `toryo.${name}`;
  let begun = first;
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(key) ?? "null");
    if (isRight(kept)) begun = kept;
  } catch {
    // a browser that keeps nothing is no reason to show nothing
  }
  const inner = signal(begun);
  return {
    ...inner,
    set(value) {
      inner.set(value);
      try {
        window.localStorage.setItem(key, JSON.stringify(value));
      } catch {
        // as above
      }
    },
  };
}
