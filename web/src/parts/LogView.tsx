// Log on the screen: followed to its end unless somebody scrolled up, searched as a whole, long lines cut.
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import { searchLog, useLog, type Found } from "../state/log";
import { isFollowing } from "../state/live";
import { useSignal } from "../state/signal";
import { spans } from "./ansi";
import { counted } from "./words";

const LONGEST = 2000;
const MORE = 20_000;
const BLOCK = 100;
const TYPED_MS = 250;

export function LogView({ run, className = "" }: { run: string; className?: string }) {
  const log = useLog(run);
  const [wanted, setWanted] = useState("");
  const [isWrapped, setWrapped] = useState(true);
  const [isAtEnd, setAtEnd] = useState(true);
  const found = useSearch(run, wanted);
  return (
    <section aria-label="log" className={`flex min-h-0 flex-col ${className}`}>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-2 py-1 text-xs text-soft">
        <input
          type="search"
          aria-label="search the log"
          placeholder="Search the log"
          className="field h-6 w-36 py-0 text-xs sm:w-44"
          value={wanted}
          onChange={(event) => setWanted(event.target.value)}
        />
        {found && (
          <span>
            {found.isWhole ? counted(found.matches.length, "line") : `${found.matches.length} or more lines`}
          </span>
        )}
        {log.page && (
          <span className="text-faint">
            {log.page.agent} · {counted(log.page.size, "byte")}
          </span>
        )}
        <span className="ml-auto flex items-center gap-3">
          {log.page && !log.ended && <Live />}
          <label className="flex items-center gap-1">
            <input type="checkbox" checked={isWrapped} onChange={(event) => setWrapped(event.target.checked)} /> wrap
          </label>
          {!isAtEnd && !found && (
            <button type="button" className="underline hover:text-ink" onClick={() => setAtEnd(true)}>
              to the end ↓
            </button>
          )}
        </span>
      </div>
      {found ? <Matches found={found} isWrapped={isWrapped} /> : <Lines log={log} run={run} isWrapped={isWrapped} isAtEnd={isAtEnd} setAtEnd={setAtEnd} />}
    </section>
  );
}

function Live() {
  const follows = useSignal(isFollowing);
  if (!follows) return <span className="text-wait">paused</span>;
  return (
    <span className="flex items-center gap-1 text-go">
      <span className="pulse inline-block size-1.5 rounded-full bg-go" /> live
    </span>
  );
}

/** Null: nothing is searched for. */
function useSearch(run: string, wanted: string): Found | null {
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    const text = wanted.trim();
    if (!text) {
      setFound(null);
      return;
    }
    let isWanted = true;
    const timer = window.setTimeout(() => {
      searchLog(run, text).then(
        (all) => isWanted && setFound(all),
        () => isWanted && setFound({ matches: [], isWhole: false }),
      );
    }, TYPED_MS);
    return () => {
      isWanted = false;
      window.clearTimeout(timer);
    };
  }, [run, wanted]);
  return found;
}

const BOX = "mono min-h-0 flex-1 overflow-auto bg-sunken px-2 py-1.5";
const wrap = (is: boolean): string => (is ? "break-words whitespace-pre-wrap" : "whitespace-pre");

function Matches({ found, isWrapped }: { found: Found; isWrapped: boolean }) {
  return (
    <div tabIndex={0} role="region" aria-label="lines that were found" className={`${BOX} ${wrap(isWrapped)}`}>
      {found.matches.length === 0 && <p className="text-faint">No line holds that.</p>}
      {found.matches.map((one) => (
        <Line key={one.start} text={one.text} />
      ))}
    </div>
  );
}

interface LinesProps {
  log: ReturnType<typeof useLog>;
  run: string;
  isWrapped: boolean;
  isAtEnd: boolean;
  setAtEnd: (is: boolean) => void;
}

function Lines({ log, run, isWrapped, isAtEnd, setAtEnd }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const before = useRef({ first: 0, height: 0 });
  const blocks = useMemo(() => {
    const numbered = log.lines.map((text, at) => ({ number: log.first + at, text }));
    if (numbered.at(-1)?.text === "") numbered.pop();
    const found: (typeof numbered)[] = [];
    // cut at round numbers: a block stays the same when others come
    for (const one of numbered) {
      if (!found.length || one.number % BLOCK === 0) found.push([]);
      found.at(-1)?.push(one);
    }
    return found;
  }, [log.lines, log.first]);

  useLayoutEffect(() => {
    const at = box.current;
    if (!at) return;
    if (isAtEnd) at.scrollTop = at.scrollHeight;
    else if (log.first < before.current.first) at.scrollTop += at.scrollHeight - before.current.height;
    before.current = { first: log.first, height: at.scrollHeight };
  }, [blocks, isAtEnd, log.first]);

  const onScroll = () => {
    const at = box.current;
    if (at) setAtEnd(at.scrollHeight - at.scrollTop - at.clientHeight < 24);
  };
  return (
    <div ref={box} onScroll={onScroll} tabIndex={0} role="log" aria-live="off" aria-label="lines of the log" className={`${BOX} ${wrap(isWrapped)}`}>
      {log.error && <p className="text-fail">{log.error.message}</p>}
      {!log.page && !log.error && <p className="text-faint">{run ? "Reading …" : "No run of it was started yet."}</p>}
      {log.page && blocks.length === 0 && <p className="text-faint">{log.ended ? "Nothing was printed." : "Nothing was printed yet."}</p>}
      {log.start > 0 && (
        <button type="button" className="mb-1 font-sans text-xs text-accent underline" onClick={log.readBefore}>
          {log.start.toLocaleString("en")} bytes are above: read the page before
        </button>
      )}
      {blocks.map((lines) => (
        <div key={Math.floor((lines[0]?.number ?? 0) / BLOCK)} className="lazy" style={{ containIntrinsicSize: `auto ${lines.length * 18}px` }}>
          {lines.map((one) => (
            <Line key={one.number} text={one.text} />
          ))}
        </div>
      ))}
    </div>
  );
}

const Line = memo(function Line({ text }: { text: string }) {
  const [most, setMost] = useState(LONGEST);
  const cut = text.length > most ? text.slice(0, most) : text;
  return (
    <div className="min-h-[1.45em]">
      {spans(cut).map((one, at) =>
        one.look ? (
          <span key={at} className={one.look}>
            {one.text}
          </span>
        ) : (
          one.text
        ),
      )}
      {text.length > most && (
        <button type="button" className="ml-1 rounded bg-raised px-1 text-faint hover:text-ink" onClick={() => setMost(most + MORE)}>
          … {(text.length - most).toLocaleString("en")} characters more
        </button>
      )}
    </div>
  );
});
