// Review: what this task itself changed, a mark per hunk that was seen, comments that are drafts until they are sent.
import { useCallback, useState } from "react";

import { call, type Views } from "../api/client";
import { Answers, press, useBack } from "../parts/Answers";
import { State } from "../parts/marks";
import { doIt, Failure } from "../parts/said";
import { counted } from "../parts/words";
import { taskAnswer } from "../state/answers";
import { useKeys } from "../state/keys";
import { useLoaded } from "../state/loaded";
import { paths } from "../state/route";
import { Drafts } from "./Drafts";
import { ReviewFile } from "./ReviewFile";

type Review = Views["Review"];

export default function ReviewPage({ id }: { id: string }) {
  const [isSinceLast, setSinceLast] = useState(false);
  const { data, error, reload } = useLoaded(
    `${id} ${isSinceLast}`,
    () => call("get", "/api/tasks/{task}/review", { path: { task: id }, query: { since_last: isSinceLast } }),
    (message) => (message.type === "task_update" || message.type === "task_changed") && message.task_id === id,
  );
  const [at, setAt] = useState(0);
  const mark = useCallback(
    async (hunks: string[], seen: boolean) => {
      await doIt(() => call("post", "/api/tasks/{task}/review/mark", { path: { task: id }, body: { hunks, seen } }));
      reload();
    },
    [id, reload],
  );
  useBack(paths.task(id));
  const hunks = data?.files.flatMap((one) => one.hunks) ?? [];
  const step = (by: number) => {
    const next = Math.min(hunks.length - 1, Math.max(0, at + by));
    setAt(next);
    document.getElementById(`hunk-${hunks[next]?.id}`)?.scrollIntoView({ block: "nearest" });
  };
  const here = hunks[at];
  useKeys("review", [
    { key: "j", does: "next hunk", run: () => step(1) },
    { key: "k", does: "hunk before", run: () => step(-1) },
    {
      key: "m",
      does: "mark the hunk as seen, or not",
      run: () => {
        if (!here) return;
        void mark([here.id], !here.seen);
        if (!here.seen) step(1);
      },
    },
    { key: "c", does: "comment on the hunk", run: () => document.querySelector<HTMLElement>(`[id="hunk-${here?.id}"] [data-comment]`)?.click() },
    { key: "a", does: "approve it", run: () => press("[data-actions]", "a") },
    { key: "x", does: "reject it, with a reason", run: () => press("[data-actions]", "x") },
    { key: "u", does: "only since my last review", run: () => setSinceLast(!isSinceLast) },
  ]);
  if (!data) return error ? <Failure error={error} /> : <p className="p-4 text-faint">Loading what it changed …</p>;
  return (
    <div className="flex h-full flex-col">
      <ReviewHead id={id} review={data} isSinceLast={isSinceLast} setSinceLast={setSinceLast} onMark={mark} onAnswered={reload} />
      <Failure error={error} />
      <div className="flex min-h-0 flex-1">
        <Files review={data} />
        <div className="min-w-0 flex-1 overflow-y-auto px-2 py-3 sm:px-4" data-scroller>
          {data.files.length === 0 && (
            <p className="text-soft">{isSinceLast ? "You have seen every hunk as it is now." : "It has changed nothing yet."}</p>
          )}
          <Drafts id={id} comments={data.comments} onChange={reload} />
          {data.files.map((one) => (
            <ReviewFile key={one.path} file={one} task={id} at={here?.id ?? ""} onMark={mark} onComment={reload} />
          ))}
          {data.cut && <p className="text-sm text-wait">It goes on: the change is larger than what is shown (`toryo diff {id}` has all).</p>}
        </div>
      </div>
    </div>
  );
}

interface HeadProps {
  id: string;
  review: Review;
  isSinceLast: boolean;
  setSinceLast: (is: boolean) => void;
  onMark: (hunks: string[], seen: boolean) => Promise<void>;
  onAnswered: () => void;
}

function ReviewHead({ id, review, isSinceLast, setSinceLast, onMark, onAnswered }: HeadProps) {
  const canJudge = review.status === "needs_review";
  return (
    <header className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-2 sm:px-4">
      <a href={paths.task(id)} className="min-w-0 truncate font-semibold hover:underline">
        {review.title}
      </a>
      <State status={review.status} reason={review.reason} />
      <span className="text-sm text-faint tabular-nums">
        {counted(review.files.length, "file")} · <span data-seen={review.seen}>{review.seen}</span> of {counted(review.hunks, "hunk")} seen
        {review.head && ` · ${review.base.slice(0, 9)}…${review.head.slice(0, 9)}`}
      </span>
      <span className="ml-auto flex flex-wrap items-center gap-2" data-actions>
        <label className="flex items-center gap-1.5 text-sm text-soft">
          <input type="checkbox" checked={isSinceLast} onChange={(event) => setSinceLast(event.target.checked)} /> since my last review
        </label>
        {review.seen < review.hunks && (
          <button type="button" className="btn" onClick={() => void onMark([], true)}>
            Mark all as seen
          </button>
        )}
        {canJudge && <Answers answers={[taskAnswer("approve", id, review.reason), taskAnswer("reject", id, review.reason)]} onAnswered={onAnswered} />}
      </span>
    </header>
  );
}

function Files({ review }: { review: Review }) {
  if (review.files.length < 2) return null;
  return (
    <nav aria-label="files" className="hidden w-64 shrink-0 overflow-y-auto border-r border-line py-2 lg:block">
      {review.files.map((one) => {
        const seen = one.hunks.filter((hunk) => hunk.seen).length;
        return (
          <button
            key={one.path}
            type="button"
            className="flex w-full items-baseline gap-2 px-3 py-0.5 text-left text-sm hover:bg-sunken"
            title={one.path}
            onClick={() => document.querySelector(`[data-file="${CSS.escape(one.path)}"]`)?.scrollIntoView({ block: "start" })}
          >
            <span className="min-w-0 flex-1 truncate text-left [direction:rtl]">
              <bdi>{one.path}</bdi>
            </span>
            <span className={`text-xs tabular-nums ${one.hunks.length > 0 && seen === one.hunks.length ? "text-done" : "text-faint"}`}>
              {seen}/{one.hunks.length}
            </span>
          </button>
        );
      })}
    </nav>
  );
}
