// List of which only what is seen is in the document; every row has the same height.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from "react";

const BEYOND = 12;

interface Props {
  count: number;
  rowHeight: number;
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** This row is kept in sight. */
  at: number;
  row: (index: number) => ReactNode;
  role: string;
  label: string;
  /** Id of the row that the keyboard is on. */
  active?: string | undefined;
  onFocus?: (() => void) | undefined;
}

export function Windowed({ count, rowHeight, scroller, at, row, role, label, active, onFocus }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<[number, number]>([0, 40]);
  const [height, setHeight] = useState(0);
  const newest = useRef({ count, rowHeight });
  newest.current = { count, rowHeight };

  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    let frame = 0;
    const measure = () => {
      frame = 0;
      const top = (list.current?.getBoundingClientRect().top ?? 0) - box.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(-top / newest.current.rowHeight) - BEYOND);
      const last = Math.max(0, Math.ceil((box.clientHeight - top) / newest.current.rowHeight) + BEYOND);
      setHeight(box.clientHeight);
      setRange((was) => (was[0] === first && was[1] === last ? was : [first, last]));
    };
    const later = () => {
      frame ||= requestAnimationFrame(measure);
    };
    measure();
    box.addEventListener("scroll", later, { passive: true });
    const seen = new ResizeObserver(later);
    seen.observe(box);
    for (const child of box.children) seen.observe(child);
    return () => {
      cancelAnimationFrame(frame);
      box.removeEventListener("scroll", later);
      seen.disconnect();
    };
  }, [scroller, rowHeight, count]);

  useEffect(() => {
    const box = scroller.current;
    if (at < 0 || !box || !list.current) return;
    const top = list.current.getBoundingClientRect().top - box.getBoundingClientRect().top + at * newest.current.rowHeight;
    const under = top + newest.current.rowHeight - box.clientHeight;
    // the line with the filter stays above the rows
    if (top < 44) box.scrollTop += top - 44;
    else if (under > 0) box.scrollTop += under;
  }, [at, scroller, height]);

  const [first, last] = [Math.min(range[0], count), Math.min(range[1], count)];
  const rows = [];
  for (let index = first; index < last; index += 1) rows.push(row(index));
  return (
    <div
      ref={list}
      role={role}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={active}
      onFocus={onFocus}
      className="relative outline-none"
      style={{ height: count * rowHeight }}
    >
      <div className="absolute inset-x-0" style={{ transform: `translateY(${first * rowHeight}px)` }} role="presentation">
        {rows}
      </div>
    </div>
  );
}
