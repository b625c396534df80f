// Markdown of specs and plans: headings, lists, code and emphasis, made of elements and never of HTML.
import { memo, type ReactNode } from "react";

const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

function inline(text: string): ReactNode[] {
  return text.split(INLINE).map((piece, at) => {
    if (piece.startsWith("`") && piece.length > 2) return <code key={at} className="rounded bg-sunken px-1">{piece.slice(1, -1)}</code>;
    if (piece.startsWith("**") && piece.length > 4) return <strong key={at}>{piece.slice(2, -2)}</strong>;
    return piece;
  });
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const blocks: ReactNode[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("```")) {
      const code: string[] = [];
      for (at += 1; at < lines.length && !lines[at]?.startsWith("```"); at += 1) code.push(lines[at] ?? "");
      blocks.push(<pre key={at} tabIndex={0} className="mono my-2 overflow-x-auto rounded bg-sunken p-2">{code.join("\n")}</pre>);
      continue;
    }
    const heading = /^(#{1,6})\s+(.*)/.exec(line);
    const item = /^(\s*)(?:[-*]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.*)/.exec(line);
    if (heading) {
      const isTop = (heading[1] ?? "").length < 3;
      blocks.push(
        <p key={at} role="heading" aria-level={(heading[1] ?? "").length + 2} className={`font-semibold ${isTop ? "mt-4 mb-1 text-base first:mt-0" : "mt-3 mb-0.5"}`}>
          {inline(heading[2] ?? "")}
        </p>,
      );
    } else if (item) {
      const depth = Math.min(5, Math.floor((item[1] ?? "").length / 2));
      const mark = item[2] === undefined ? "·" : item[2] === " " ? "☐" : "☑";
      blocks.push(
        <p key={at} className="flex gap-2 py-px" style={{ marginLeft: `${depth}rem` }}>
          <span className="shrink-0 text-faint" aria-hidden>
            {mark}
          </span>
          <span className="min-w-0 break-words">{inline(item[3] ?? "")}</span>
        </p>,
      );
    } else if (line.trim()) {
      blocks.push(<p key={at} className="py-0.5 break-words">{inline(line)}</p>);
    } else blocks.push(<div key={at} className="h-1.5" />);
  }
  return <div className="max-w-[75ch] text-ink">{blocks}</div>;
});
