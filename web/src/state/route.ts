// Routes of the page, behind the hash: nothing but the one document is asked of the server.
import { signal, useSignal } from "./signal";

export interface Route {
  page: "work" | "task" | "review" | "missions" | "queue" | "crew" | "events" | "unknown";
  id: string;
  /** `?name=value` behind the path. */
  query: URLSearchParams;
}

/** What cannot be decoded is no name of ours: it stays as it was typed. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function read(): Route {
  const [path = "", asked = ""] = window.location.hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").map(decoded);
  if (parts.includes(null)) return { page: "unknown", id: path, query: new URLSearchParams() };
  const [first, id, last] = [parts[0] ?? "", parts[1] ?? "", parts[2] ?? ""];
  const query = new URLSearchParams(asked);
  if (first === "") return { page: "work", id: "", query };
  if (first === "tasks" && id) return { page: last === "review" ? "review" : "task", id, query };
  if (first === "missions") return { page: "missions", id, query };
  if (first === "queue" || first === "crew" || first === "events") return { page: first, id, query };
  return { page: "unknown", id: first, query };
}

const route = signal<Route>(read());
let last = window.location.hash;

function follow(): void {
  if (window.location.hash === last) return;
  last = window.location.hash;
  route.set(read());
}
window.addEventListener("hashchange", follow);

export const useRoute = (): Route => useSignal(route);

/** At once, not with the browser's event: the next key is for the new page already. */
export const go = (to: string): void => {
  window.location.hash = to;
  follow();
};

const named = encodeURIComponent;
export const paths = {
  work: "#/",
  task: (id: string) => `#/tasks/${named(id)}`,
  review: (id: string) => `#/tasks/${named(id)}/review`,
  missions: "#/missions",
  mission: (id: string) => `#/missions/${named(id)}`,
  queue: "#/queue",
  crew: "#/crew",
  events: "#/events",
  eventsOf: (task: string) => `#/events?task=${named(task)}`,
};

/** Where a subject, `kind:name`, is shown; empty: nowhere of its own. */
export function pathOf(subject: string): string {
  const colon = subject.indexOf(":");
  const [kind, id] = [subject.slice(0, colon), subject.slice(colon + 1)];
  if (kind === "task") return paths.task(id);
  if (kind === "mission") return paths.mission(id);
  if (kind === "target" || kind === "queue" || kind === "landing") return paths.queue;
  if (["agent", "project", "account", "coordinator", "planner"].includes(kind)) return paths.crew;
  return "";
}
