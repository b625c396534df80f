// Words of the page: numbers with their noun, and sentences of the daemon without lines for a terminal. Pure.

/** `1 run`, `2 runs`. */
export const counted = (number: number, noun: string): string => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** As a sentence begins. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const SAID: readonly (readonly [RegExp, string])[] = [
  [/dispatch is hold: `[^`]*`, or `toryo task approve[^`]*`/g, "dispatch is hold: it waits for your yes"],
  [/`toryo task approve[^`]*`/g, "your yes"],
  [/`toryo task retry[^`]*`/g, "a retry"],
  [/`toryo run release[^`]*` if/g, "release its run if"],
  [/`toryo target approve[^`]*`/g, "your yes"],
];

/** What a button beside it does is not said as a line to type. */
export function withoutLines(text: string): string {
  return SAID.reduce((sum, [line, words]) => sum.replace(line, words), text);
}
