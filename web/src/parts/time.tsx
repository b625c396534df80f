// Times as people say them: how long ago, with the moment itself beside it.
import { useEffect } from "react";

import { signal, useSignal } from "../state/signal";

const now = signal(Date.now());
window.setInterval(() => {
  if (!document.hidden) now.set(Date.now());
}, 15_000);
document.addEventListener("visibilitychange", () => now.set(Date.now()));

export function ago(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 5) return "now";
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h`;
  return `${Math.floor(s / 86_400)} d`;
}

export function duration(s: number): string {
  if (s < 1) return `${Math.round(s * 1000)} ms`;
  if (s < 60) return `${s.toFixed(1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${Math.round((s % 3600) / 60)} min`;
}

const two = (one: number): string => String(one).padStart(2, "0");

export function clock(at: string): string {
  const then = new Date(at);
  return `${two(then.getHours())}:${two(then.getMinutes())}:${two(then.getSeconds())}`;
}

export function moment(at: string): string {
  const then = new Date(at);
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${clock(at)}`;
}

export function Ago({ at, className = "" }: { at: string | null | undefined; className?: string }) {
  const is = useSignal(now);
  useEffect(() => {
    if (Date.now() - now.get() > 3000) now.set(Date.now());
  }, [at]);
  if (!at) return null;
  return (
    <time dateTime={at} title={moment(at)} className={`whitespace-nowrap tabular-nums ${className}`}>
      {ago(is - Date.parse(at))}
    </time>
  );
}

/** Until then, where it lies before us. */
export function Until({ at }: { at: string | null | undefined }) {
  const is = useSignal(now);
  if (!at) return <span>until an unknown time</span>;
  const left = Date.parse(at) - is;
  return (
    <time dateTime={at} title={moment(at)} className="tabular-nums">
      {left > 0 ? `for ${ago(left)} more, until ${clock(at)}` : `until ${clock(at)}, which is over`}
    </time>
  );
}
