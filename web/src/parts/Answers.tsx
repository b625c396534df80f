// Buttons that answer in place: what an action asks for is typed beneath them, not in a window of its own.
import { useEffect, useRef, useState } from "react";

import { useKeys } from "../state/keys";
import { go } from "../state/route";
import type { Answer, Elsewhere } from "../state/answers";
import { doIt, sayRefused, saySo } from "./said";

const TONES = { main: "btn btn-main", plain: "btn", danger: "btn text-fail" };
const isAnswer = (one: Answer | Elsewhere): one is Answer => "run" in one;

interface Props {
  answers: (Answer | Elsewhere)[];
  onAnswered?: (words: string) => void;
}

export function Answers({ answers, onAnswered }: Props) {
  const [open, setOpen] = useState<Answer | null>(null);
  const [isBusy, setBusy] = useState(false);
  const trigger = useRef<HTMLElement | null>(null);

  const run = async (answer: Answer, words: string) => {
    setBusy(true);
    try {
      const said = await answer.run(words);
      setOpen(null);
      saySo(said);
      onAnswered?.(said);
    } catch (error) {
      sayRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const choose = (answer: Answer, button: HTMLElement) => {
    trigger.current = button;
    if (answer.asks || answer.warns) setOpen(open?.label === answer.label ? null : answer);
    else void run(answer, "");
  };
  return (
    <div>
      <div className="flex flex-wrap gap-1.5">
        {answers.map((one) =>
          isAnswer(one) ? (
            <button
              key={one.label}
              type="button"
              disabled={isBusy}
              data-key={one.key}
              aria-expanded={one.asks || one.warns ? open?.label === one.label : undefined}
              className={TONES[one.tone]}
              onClick={(event) => choose(one, event.currentTarget)}
            >
              {one.label}
            </button>
          ) : one.href !== undefined ? (
            <a key={one.label} href={one.href} className="btn">
              {one.label}
            </a>
          ) : (
            <CopyLine key={one.line} line={one.line ?? ""} />
          ),
        )}
      </div>
      {open && (
        <Asked
          key={open.label}
          answer={open}
          isBusy={isBusy}
          onSay={(words) => void run(open, words)}
          onClose={() => {
            setOpen(null);
            trigger.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function Asked({ answer, isBusy, onSay, onClose }: { answer: Answer; isBusy: boolean; onSay: (words: string) => void; onClose: () => void }) {
  const [words, setWords] = useState(answer.asks?.first ?? "");
  const field = useRef<HTMLTextAreaElement>(null);
  const sure = useRef<HTMLButtonElement>(null);
  useEffect(() => (field.current ?? sure.current)?.focus(), []);
  const may = !isBusy && (!answer.asks?.isNeeded || words.trim() !== "");
  return (
    <form
      className="mt-2 max-w-2xl"
      onSubmit={(event) => {
        event.preventDefault();
        if (may) onSay(words.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing && answer.asks) {
          event.preventDefault();
          if (may) onSay(words.trim());
        }
      }}
    >
      {answer.warns && <p className="mb-2 text-sm text-wait">{answer.warns}</p>}
      {answer.asks && (
        <textarea
          ref={field}
          aria-label={answer.asks.words}
          placeholder={answer.asks.words}
          rows={Math.min(6, Math.max(1, words.split("\n").length))}
          className="field block resize-y"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      )}
      <div className="mt-1.5 flex items-center gap-2">
        <button ref={sure} type="submit" disabled={!may} className={answer.tone === "danger" ? "btn text-fail" : "btn btn-main"}>
          {answer.label}
        </button>
        <button type="button" className="btn btn-bare" onClick={onClose}>
          Never mind
        </button>
        {answer.asks && <span className="hidden text-xs text-faint sm:inline">Enter sends · Shift+Enter a new line · Esc leaves</span>}
      </div>
    </form>
  );
}

/** A line for a terminal, where only a terminal helps. */
export function CopyLine({ line }: { line: string }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <button
      type="button"
      className="btn mono max-w-full"
      title={`Copy: ${line}`}
      onClick={() => {
        void doIt(() => navigator.clipboard.writeText(line), "copied").then(() => setCopied(true));
      }}
    >
      <span className="truncate">{line}</span>
      <span className="font-sans text-xs text-faint">{isCopied ? "copied" : "copy"}</span>
    </button>
  );
}

/** Esc goes back to where one came from. */
/**
 * The button of a key within what `selector` names, pressed as a person would; waits a moment for one that is
 * being loaded.
 */
export function press(selector: string, key: string): void {
  const end = performance.now() + 3000;
  const look = () => {
    const button = document.querySelector<HTMLElement>(`${selector} [data-key="${key}"]`);
    if (button) button.click();
    else if (performance.now() < end && document.querySelector(`${selector}[data-loading="true"]`)) window.setTimeout(look, 50);
    else sayRefused(new Error(NOTHING[key] ?? ""));
  };
  look();
}

const NOTHING: Record<string, string> = {
  a: "There is nothing to approve here.",
  x: "There is nothing to reject here.",
  m: "Nobody is there to be told: no run of it is alive.",
};

export function useBack(to: string): void {
  useKeys("here", [{ key: "Escape", does: "back", run: () => go(to) }]);
}
