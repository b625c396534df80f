// Missions of the page: the lines of all that are kept, changed by the channel.
import { call, type Views } from "../api/client";
import { onMessage } from "./live";
import { signal } from "./signal";

export type MissionLine = Views["MissionLine"];

const GATHER_MS = 200;
export const missions = signal<readonly MissionLine[] | null>(null);
export const missionsError = signal<Error | null>(null);

let timer = 0;

async function load(): Promise<void> {
  try {
    const found: MissionLine[] = [];
    for (let after = 0, more = true; more; ) {
      const page = await call("get", "/api/missions", { query: { limit: 1000, after_seq: after } });
      found.push(...page.missions);
      [after, more] = [page.next_after, page.more];
    }
    missions.set(found);
    missionsError.set(null);
  } catch (error) {
    missionsError.set(error as Error);
  }
}

export function beginMissions(): void {
  onMessage((message) => {
    const isBack = message.type === "daemon" && message.reachable;
    if (message.type !== "resync" && message.type !== "mission_update" && !isBack) return;
    timer ||= window.setTimeout(() => {
      timer = 0;
      void load();
    }, GATHER_MS);
  });
}
