// Text of agents for a browser: colours of a terminal are kept, every other escape code is taken out. Pure.

export interface Span {
  text: string;
  /** Class names. */
  look: string;
}

const ESC = "\u001b";
// CSI, OSC and the string kinds with their ends, then two-character ones
const CODES = new RegExp(
  `${ESC}\\[([0-9;:?<=>]*)[ -/]*([@-~])|${ESC}\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?|${ESC}[PX^_][^${ESC}]*(?:${ESC}\\\\)?|${ESC}[ -/]*[0-~]?|\\u009b[0-9;:?]*[@-~]`,
  "g",
);
// characters that no page shows, and those that turn the direction of what follows
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

const COLOURS = ["text-faint", "text-fail", "text-done", "text-wait", "text-go", "text-unknown", "text-accent", "text-soft"];

interface Look {
  colour: string;
  isBold: boolean;
  isFaint: boolean;
  isUnderlined: boolean;
}
const PLAIN: Look = { colour: "", isBold: false, isFaint: false, isUnderlined: false };

/** What a line is after the carriage returns in it: a progress bar's last state. */
function lastState(line: string): string {
  const text = line.replace(/\r+$/, "");
  const at = text.lastIndexOf("\r");
  return at < 0 ? text : text.slice(at + 1);
}

export function spans(line: string): Span[] {
  const text = lastState(line);
  if (!text.includes(ESC) && !text.includes("\u009b")) return [{ text: text.replace(UNSEEN, ""), look: "" }];
  const found: Span[] = [];
  let look = PLAIN;
  let from = 0;
  const put = (to: number) => {
    const piece = text.slice(from, to).replace(UNSEEN, "");
    if (piece) found.push({ text: piece, look: classes(look) });
  };
  for (const code of text.matchAll(CODES)) {
    put(code.index);
    from = code.index + code[0].length;
    if (code[2] === "m") look = coloured(look, code[1] ?? "");
  }
  put(text.length);
  return found;
}

function coloured(before: Look, codes: string): Look {
  let look = before;
  const given = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < given.length; at += 1) {
    const code = given[at] ?? 0;
    if (code === 0) look = PLAIN;
    else if (code === 1) look = { ...look, isBold: true };
    else if (code === 2) look = { ...look, isFaint: true };
    else if (code === 4) look = { ...look, isUnderlined: true };
    else if (code === 22) look = { ...look, isBold: false, isFaint: false };
    else if (code === 24) look = { ...look, isUnderlined: false };
    else if (code === 39) look = { ...look, colour: "" };
    else if (code >= 30 && code <= 37) look = { ...look, colour: COLOURS[code - 30] ?? "" };
    else if (code >= 90 && code <= 97) look = { ...look, colour: COLOURS[code - 90] ?? "" };
    else if (code === 38 || code === 48) {
      const kind = given[at + 1];
      if (kind === 5 && code === 38) look = { ...look, colour: COLOURS[(given[at + 2] ?? 7) % 8] ?? "" };
      at += kind === 5 ? 2 : 4;
    }
  }
  return look;
}

function classes(look: Look): string {
  return [look.colour, look.isBold && "font-semibold", look.isFaint && "text-faint", look.isUnderlined && "underline"]
    .filter(Boolean)
    .join(" ");
}
