// Projects of the page: their names, for every other page.
import { call, type Views } from "../api/client";
import { onMessage } from "./live";
import { keptSignal, signal } from "./signal";

export type Project = Views["ProjectView"];

export const projects = signal<readonly Project[]>([]);
/** Id of the only project that is shown; empty: all of them. */
export const chosenProject = keptSignal<string>("project", "", (one): one is string => typeof one === "string");

let timer = 0;

export function projectName(id: string): string {
  return projects.get().find((one) => one.id === id)?.name ?? id;
}

async function load(): Promise<void> {
  try {
    const found = (await call("get", "/api/projects")).projects;
    projects.set(found);
    if (chosenProject.get() && !found.some((one) => one.id === chosenProject.get())) chosenProject.set("");
  } catch {
    // the banner says that the daemon is away; names stay as they were
  }
}

export function beginProjects(): void {
  onMessage((message) => {
    const isAbout = message.type === "subject_update" && message.kind.startsWith("project_");
    if (message.type !== "resync" && !isAbout && !(message.type === "daemon" && message.reachable)) return;
    timer ||= window.setTimeout(() => {
      timer = 0;
      void load();
    }, 100);
  });
}
