// File of a review: its hunks with their marks; a range of lines is chosen by a click and a click with Shift.
import { memo, useEffect, useMemo, useState } from "react";

import { call, type Views } from "../api/client";
import { doIt } from "../parts/said";

type Hunk = Views["HunkView"];
const OPEN_UP_TO = 1500;
const LONGEST = 2000;

interface Props {
  file: Views["ReviewedFile"];
  task: string;
  /** Id of the hunk that the keys are on. */
  at: string;
  onMark: (hunks: string[], seen: boolean) => Promise<void>;
  onComment: () => void;
}

export const ReviewFile = memo(function ReviewFile({ file, task, at, onMark, onComment }: Props) {
  const count = (sign: string) => file.hunks.reduce((sum, hunk) => sum + hunk.lines.filter((one) => one.startsWith(sign)).length, 0);
  const [added, removed] = [count("+"), count("-")];
  const [isOpen, setOpen] = useState(added + removed <= OPEN_UP_TO);
  return (
    <section className="card mb-3 overflow-hidden" aria-label={file.path} data-file={file.path}>
      <button type="button" aria-expanded={isOpen} className="flex w-full items-baseline gap-2 px-3 py-1.5 text-left hover:bg-sunken" onClick={() => setOpen(!isOpen)}>
        <span className="text-xs text-faint" aria-hidden>
          {isOpen ? "▾" : "▸"}
        </span>
        <code className="min-w-0 break-all">
          {file.old_path && file.old_path !== file.path && `${file.old_path} → `}
          {file.path}
        </code>
        <span className="text-xs text-faint">{file.binary ? "binary" : file.kind === "changed" || file.kind === "modified" ? "" : file.kind}</span>
        {added + removed > 0 && (
          <span className="ml-auto text-xs whitespace-nowrap tabular-nums">
            <span className="text-done">+{added}</span> <span className="text-fail">−{removed}</span>
          </span>
        )}
      </button>
      {isOpen && file.hunks.map((one) => <HunkView key={one.id} hunk={one} path={file.path} task={task} isHere={one.id === at} onMark={onMark} onComment={onComment} />)}
    </section>
  );
});

interface HunkProps {
  hunk: Hunk;
  path: string;
  task: string;
  isHere: boolean;
  onMark: Props["onMark"];
  onComment: () => void;
}

interface Numbered {
  sign: string;
  text: string;
  old: number | null;
  new: number | null;
}

function numbered(hunk: Hunk): Numbered[] {
  let [before, after] = [hunk.old_start, hunk.new_start];
  return hunk.lines.map((line) => {
    const sign = line[0] ?? " ";
    const text = line.length > LONGEST ? `${line.slice(1, LONGEST)} …` : line.slice(1);
    if (sign === "+") return { sign, text, old: null, new: after++ };
    if (sign === "-") return { sign, text, old: before++, new: null };
    if (sign === "\\") return { sign: "", text, old: null, new: null };
    return { sign: " ", text, old: before++, new: after++ };
  });
}

/** As the file is now; of lines that are all gone, as it was. */
function rangeOf(lines: Numbered[]): [number, number] {
  const now = lines.flatMap((one) => one.new ?? []);
  const numbers = now.length ? now : lines.flatMap((one) => one.old ?? []);
  return numbers.length ? [Math.min(...numbers), Math.max(...numbers)] : [1, 1];
}

const LOOKS: Record<string, string> = { "+": "bg-done-wash", "-": "bg-fail-wash", "": "text-faint" };

function HunkView({ hunk, path, task, isHere, onMark, onComment }: HunkProps) {
  const lines = useMemo(() => numbered(hunk), [hunk]);
  const [range, setRange] = useState<[number, number] | null>(null);
  const [ticked, setTicked] = useState<boolean | null>(null);
  useEffect(() => setTicked(null), [hunk]);
  const isSeen = ticked ?? hunk.seen;
  const pick = (at: number, isMore: boolean) => setRange(range && isMore ? [Math.min(range[0], at), Math.max(range[1], at)] : [at, at]);
  const whole = () => {
    const first = lines.findIndex((one) => one.sign === "+" || one.sign === "-");
    setRange(range ? null : [Math.max(0, first), lines.length - 1 - [...lines].reverse().findIndex((one) => one.sign === "+" || one.sign === "-")]);
  };
  return (
    <div id={`hunk-${hunk.id}`} data-hunk={hunk.id} data-is-seen={isSeen} className={`border-t border-l-2 border-t-line ${isHere ? "border-l-accent" : "border-l-transparent"}`}>
      <div className="flex items-center gap-3 bg-sunken px-2 py-0.5 text-xs text-faint">
        <code className="min-w-0 flex-1 truncate">{hunk.header}</code>
        {lines.length > 0 && (
          <button type="button" data-comment className="text-accent hover:underline" onClick={whole}>
            comment
          </button>
        )}
        <label className="flex items-center gap-1 text-soft">
          <input
            type="checkbox"
            checked={isSeen}
            onChange={(event) => {
              setTicked(event.target.checked);
              void onMark([hunk.id], event.target.checked);
            }}
          />{" "}
          seen
        </label>
      </div>
      {lines.length > 0 && <div className={`mono overflow-x-auto ${isSeen ? "opacity-60" : ""}`} tabIndex={0} role="region" aria-label={`changes in ${path} ${hunk.header}`}>
        <div className="lazy w-max min-w-full" style={{ containIntrinsicSize: `auto ${lines.length * 18}px` }}>
          {lines.map((one, at) => (
            <div
              key={at}
              className={`flex whitespace-pre ${LOOKS[one.sign] ?? ""} ${range && at >= range[0] && at <= range[1] ? "outline-1 -outline-offset-1 outline-accent" : ""}`}
            >
              <span
                className="flex shrink-0 cursor-pointer text-faint select-none hover:text-accent"
                title="comment on this line; with Shift up to here"
                onClick={(event) => pick(at, event.shiftKey)}
              >
                <span className="w-9 pr-1 text-right">{one.old}</span>
                <span className="w-9 pr-2 text-right">{one.new}</span>
              </span>
              <span className="w-4 shrink-0 text-faint select-none">{one.sign === "-" ? "−" : one.sign}</span>
              <span className="pr-3">{one.text}</span>
            </div>
          ))}
        </div>
      </div>}
      {range && (
        <Comment
          task={task}
          path={path}
          lines={lines.slice(range[0], range[1] + 1)}
          onClose={() => setRange(null)}
          onKept={() => {
            setRange(null);
            onComment();
          }}
        />
      )}
    </div>
  );
}

function Comment({ task, path, lines, onClose, onKept }: { task: string; path: string; lines: Numbered[]; onClose: () => void; onKept: () => void }) {
  const [text, setText] = useState("");
  const [first, last] = rangeOf(lines);
  const keep = async () => {
    if (!text.trim()) return;
    const excerpt = lines.map((one) => `${one.sign}${one.text}`).join("\n");
    const body = { path, first, last, text: text.trim(), excerpt };
    if (await doIt(() => call("post", "/api/tasks/{task}/review/comments", { path: { task }, body }), "kept as a draft")) onKept();
  };
  return (
    <form
      className="border-t border-line p-2"
      onSubmit={(event) => {
        event.preventDefault();
        void keep();
      }}
    >
      <textarea
        autoFocus
        rows={2}
        aria-label={`comment on ${path}:${first}-${last}`}
        placeholder={`Comment on lines ${first}–${last}`}
        className="field"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void keep();
        }}
      />
      <div className="mt-1 flex gap-2">
        <button type="submit" className="btn btn-main" disabled={!text.trim()}>
          Keep as a draft
        </button>
        <button type="button" className="btn btn-bare" onClick={onClose}>
          Never mind
        </button>
      </div>
    </form>
  );
}
