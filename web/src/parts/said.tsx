// What was done, and what was refused with its way out: one line at the foot of the page, read aloud.
import { Refusal } from "../api/client";
import { signal, useSignal } from "../state/signal";

interface Said {
  text: string;
  hint: string;
  isBad: boolean;
}

const said = signal<Said | null>(null);
let timer = 0;

function put(one: Said, ms: number): void {
  window.clearTimeout(timer);
  said.set(one);
  timer = window.setTimeout(() => said.set(null), ms);
}

export const saySo = (text: string): void => put({ text, hint: "", isBad: false }, 4000);

export function sayRefused(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  put({ text, hint: error instanceof Refusal ? error.hint : "", isBad: true }, 15_000);
}

export function SaidLine() {
  const one = useSignal(said);
  return (
    <div aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-16 z-40 flex justify-center px-3 md:bottom-4">
      {one && (
        <div
          className={`card pointer-events-auto max-w-xl px-3 py-2 text-sm shadow-[var(--shade)] ${one.isBad ? "border-fail" : ""}`}
          data-said={one.isBad ? "refused" : "done"}
        >
          <span className={one.isBad ? "text-fail" : "text-ink"}>{one.text}</span>
          {one.hint && <span className="ml-2 text-soft">{one.hint}</span>}
          <button type="button" className="ml-3 text-faint hover:text-ink" aria-label="close" onClick={() => said.set(null)}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}

/** Does it, and says what came of it. */
export async function doIt<T>(run: () => Promise<T>, words?: string): Promise<T | undefined> {
  try {
    const found = await run();
    if (words) saySo(words);
    return found;
  } catch (error) {
    sayRefused(error);
    return undefined;
  }
}

export function Failure({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <p role="alert" className="m-3 rounded-md bg-fail-wash px-3 py-2 text-sm text-fail">
      {error.message} {error instanceof Refusal && <span className="text-soft">{error.hint}</span>}
    </p>
  );
}
