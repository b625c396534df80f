// Log of the chosen task below the tree, with why it is as it is on one line.
import { useEffect, useRef } from "react";

import { call } from "../api/client";
import { Answers } from "../parts/Answers";
import { LogView } from "../parts/LogView";
import { State } from "../parts/marks";
import { withoutLines } from "../parts/words";
import { useLoaded } from "../state/loaded";
import { paths } from "../state/route";
import { keptSignal, useSignal } from "../state/signal";
import { answersToTask } from "../state/taskAnswers";
import { useTask } from "../state/tasks";

const height = keptSignal("drawer", 38, (one): one is number => typeof one === "number" && one > 9 && one < 91);

export function TaskDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const task = useTask(id);
  const share = useSignal(height);
  const { data, error, reload } = useLoaded(
    id,
    async () => {
      const [why, one] = await Promise.all([
        call("get", "/api/why", { query: { id } as never }),
        call("get", "/api/tasks/{task}", { path: { task: id } }),
      ]);
      return { sentence: withoutLines(why.sentence), run: one.task.runs.at(-1)?.id ?? "", answers: answersToTask(one.task, why) };
    },
    (message) => (message.type === "task_update" || message.type === "task_changed") && message.task_id === id,
  );
  return (
    <section aria-label={`log of ${id}`} className="flex min-h-28 flex-col border-t border-edge bg-raised" style={{ height: `${share}%` }}>
      <Grip />
      <div className="flex items-center gap-2 px-3 py-1.5">
        <a href={paths.task(id)} className="min-w-0 truncate font-medium hover:underline">
          {task?.title ?? id}
        </a>
        {task && <State status={task.status} reason={task.reason} />}
        <span className="hidden min-w-0 flex-1 truncate text-sm text-soft sm:inline" title={data?.sentence}>
          {data?.sentence ?? error?.message}
        </span>
        <a href={paths.task(id)} className="btn btn-bare ml-auto h-6 min-h-0 px-2">
          open
        </a>
        <button type="button" className="btn btn-bare h-6 min-h-0 px-2" aria-label="close the log" onClick={onClose}>
          ✕
        </button>
      </div>
      <div className="px-3 pb-1.5" data-drawer-answers data-loading={data === null}>
        {data && <Answers answers={data.answers} onAnswered={reload} />}
      </div>
      {data && <LogView key={data.run} run={data.run} className="flex-1" />}
    </section>
  );
}

/** Drawn up or down with the pointer, or with the arrows. */
function Grip() {
  const share = useSignal(height);
  const bar = useRef<HTMLDivElement>(null);
  const isHeld = useRef(false);
  useEffect(() => {
    const move = (event: PointerEvent) => {
      const outer = bar.current?.parentElement?.parentElement?.getBoundingClientRect();
      if (!isHeld.current || !outer) return;
      height.set(Math.round(Math.min(88, Math.max(14, (100 * (outer.bottom - event.clientY)) / outer.height))));
    };
    const drop = () => (isHeld.current = false);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", drop);
    return () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", drop);
    };
  }, []);
  return (
    <div
      ref={bar}
      role="separator"
      aria-orientation="horizontal"
      aria-label="height of the log"
      aria-valuenow={share}
      aria-valuemin={14}
      aria-valuemax={88}
      tabIndex={0}
      className="-mt-1 h-2 shrink-0 cursor-row-resize touch-none hover:bg-pick"
      onPointerDown={(event) => {
        isHeld.current = true;
        event.preventDefault();
      }}
      onKeyDown={(event) => {
        if (event.key === "ArrowUp") height.set(Math.min(88, share + 6));
        else if (event.key === "ArrowDown") height.set(Math.max(14, share - 6));
        else return;
        event.preventDefault();
      }}
    />
  );
}
