// The one connection of the page: its state, and its messages for whoever is on the screen.
import { listen, type Channel, type Line, type Message } from "../api/events";
import { signal } from "./signal";

export interface Connection {
  line: Line;
  why: string;
}
type Listener = (message: Message) => void;

export const connection = signal<Connection>({ line: "live", why: "" });
export const isFollowing = signal(true);

const listeners = new Set<Listener>();
let channel: Channel | null = null;

/** Everything that is shown is loaded again. */
export const RELOAD: Message = { id: 0, type: "resync" };

export function onMessage(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function open(): void {
  channel = listen(
    (message) => {
      for (const one of [...listeners]) one(message);
    },
    (line, why) => connection.set({ line, why }),
  );
}

export function begin(): void {
  open();
  isFollowing.subscribe(() => {
    channel?.close();
    channel = null;
    if (isFollowing.get()) open();
    else connection.set({ line: "live", why: "" });
  });
}
