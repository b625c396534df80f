// The event channel: one WebSocket that comes again by itself and misses nothing.
import type { Views } from "./client";

export type Message = Views["Message"];
export type Line = "live" | "stale" | "lost" | "refused";

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

export interface Channel {
  close(): void;
}

/**
 * `onLine`: *lost*: nobody serves the page; *stale*: the daemon is away, so what is shown may be old; *refused*:
 * the token is not valid any more, and only a person helps: nothing is asked until they look here again.
 * A `resync` asks to load everything again.
 */
export function listen(onMessage: (message: Message) => void, onLine: (line: Line, why: string) => void): Channel {
  let last: number | null = null;
  let pause = FIRST_PAUSE_MS;
  let timer: number | undefined;
  let socket: WebSocket | null = null;
  let isClosed = false;

  const open = () => {
    const after = last === null ? "" : `?after=${last}`;
    let wasOpen = false;
    window.removeEventListener("focus", open);
    socket = new WebSocket(`ws://${window.location.host}/api/events${after}`);
    socket.onopen = () => {
      if (isClosed) return;
      wasOpen = true;
      pause = FIRST_PAUSE_MS;
      onLine("live", "");
    };
    socket.onmessage = (event) => {
      if (isClosed) return; // what is on its way while it closes
      const message = JSON.parse(String(event.data)) as Message;
      last = message.type === "resync" ? message.id : Math.max(last ?? 0, message.id);
      if (message.type === "daemon") onLine(message.reachable ? "live" : "stale", message.error);
      onMessage(message);
    };
    socket.onclose = async () => {
      if (isClosed) return;
      const isRefused = !wasOpen && (await isTokenRefused());
      if (isClosed) return;
      if (isRefused) {
        onLine("refused", "");
        window.addEventListener("focus", open);
        return;
      }
      onLine("lost", "The page's process is away: `toryo web` starts it.");
      timer = window.setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    };
  };
  open();
  return {
    close() {
      isClosed = true;
      window.clearTimeout(timer);
      window.removeEventListener("focus", open);
      socket?.close();
    },
  };
}

/** A browser is not told why a socket did not open. */
async function isTokenRefused(): Promise<boolean> {
  try {
    return (await fetch("/api/health")).status === 401;
  } catch {
    return false;
  }
}
