// Screen of a run's window, read only: drawn by a terminal that is loaded only here, while somebody looks.
import "@xterm/xterm/css/xterm.css";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";

import { call, Refusal } from "../api/client";
import { isFollowing } from "../state/live";
import { CopyLine } from "./Answers";

const PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 1500;
/** A window may be a moment later than its run; refused so often, there is none. */
const REFUSALS = 3;

const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export default function Screen({ run }: { run: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [why, setWhy] = useState("");
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    const terminal = new Terminal({
      disableStdin: true,
      convertEol: true,
      cursorBlink: false,
      fontSize: 12,
      fontFamily: colour("--font-mono") || "monospace",
      theme: { background: colour("--sunken"), foreground: colour("--ink"), cursor: colour("--soft"), selectionBackground: colour("--pick") },
    });
    if (box.current) terminal.open(box.current);
    let timer = 0;
    let shown = "";
    let pause = PAUSE_MS;
    let isWanted = true;
    let refusals = 0;
    const look = async () => {
      try {
        if (!document.hidden && (isFollowing.get() || !shown)) {
          const screen = await call("get", "/api/screen/{id}", { path: { id: run }, query: { colours: true } });
          if (!isWanted) return;
          refusals = 0;
          setWhy("");
          const now = JSON.stringify(screen);
          pause = now === shown ? Math.min(pause * 1.3, LONGEST_PAUSE_MS) : PAUSE_MS;
          if (now !== shown) {
            shown = now;
            if (terminal.cols !== screen.columns || terminal.rows !== screen.rows) terminal.resize(screen.columns, screen.rows);
            const [column = 0, row = 0] = screen.cursor;
            terminal.write(`\x1b[H\x1b[2J${screen.text.replace(/\n$/, "")}\x1b[${row + 1};${column + 1}H`);
          }
        }
      } catch (error) {
        if (!isWanted) return;
        setWhy((error as Error).message);
        pause = LONGEST_PAUSE_MS;
        refusals += error instanceof Refusal && error.status < 500 ? 1 : 0;
        if (refusals >= REFUSALS) return setRefused(true);
      }
      timer = window.setTimeout(() => void look(), pause);
    };
    void look();
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
      terminal.dispose();
    };
  }, [run]);
  return (
    <section aria-label="screen" className="min-h-0 flex-1 overflow-auto bg-sunken p-2">
      {why && <p className="mb-2 text-sm text-wait">{why}</p>}
      <div ref={box} hidden={isRefused} />
      {!isRefused && (
        <div className="mt-2 flex items-center gap-2 text-xs text-faint">
          read only here; in a terminal: <CopyLine line={`toryo attach ${run}`} />
        </div>
      )}
    </section>
  );
}
