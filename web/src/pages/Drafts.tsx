// Comments of a review: drafts that are sent once, together, and what was sent before.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { doIt, saySo } from "../parts/said";
import { TaskLink } from "../parts/TaskLink";
import { Ago } from "../parts/time";

type Comment = Views["CommentView"];
const SENT: Record<string, string> = { fix: "a fix run carries it", said: "said to its agent at its end" };

export function Drafts({ id, comments, onChange }: { id: string; comments: Comment[]; onChange: () => void }) {
  const drafts = comments.filter((one) => one.sent_at === null);
  const [isBusy, setBusy] = useState(false);
  if (!comments.length) return null;
  const send = async () => {
    setBusy(true);
    const sent = await doIt(() => call("post", "/api/tasks/{task}/review/send", { path: { task: id } }));
    setBusy(false);
    if (!sent) return;
    saySo(`sent ${sent.sent}: ${SENT[sent.sent_as] ?? sent.sent_as}`);
    onChange();
  };
  return (
    <section aria-label="comments" className="card mb-3">
      <ul className="divide-y divide-line">
        {comments.map((one) => (
          <Entry key={one.id} comment={one} onChange={onChange} />
        ))}
      </ul>
      {drafts.length > 0 && (
        <div className="flex items-center gap-3 border-t border-line px-3 py-2">
          <button type="button" className="btn btn-main" disabled={isBusy} onClick={() => void send()}>
            Send {drafts.length === 1 ? "the comment" : `${drafts.length} comments`}
          </button>
          <span className="text-xs text-faint">Drafts stay until you send them; then the agent gets them all at once.</span>
        </div>
      )}
    </section>
  );
}

function Entry({ comment, onChange }: { comment: Comment; onChange: () => void }) {
  const [text, setText] = useState(comment.text);
  const isDraft = comment.sent_at === null;
  const change = async (words: string) => {
    await doIt(() => call("post", "/api/comments/{comment}", { path: { comment: comment.id }, body: { text: words } }));
    onChange();
  };
  const lines = comment.first === comment.last ? comment.first : `${comment.first}–${comment.last}`;
  return (
    <li className="px-3 py-2" data-comment-id={comment.id} data-sent={comment.sent_as ?? ""}>
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-faint">
        <code>
          {comment.path}:{lines}
        </code>
        {isDraft ? <span className="text-wait">draft</span> : <SentAs comment={comment} />}
        <Ago at={comment.sent_at ?? comment.created_at} />
        {isDraft && (
          <button type="button" className="ml-auto text-faint hover:text-fail" onClick={() => void change("")}>
            delete
          </button>
        )}
      </p>
      {comment.excerpt && <pre className="mono my-1 max-h-24 overflow-auto border-l-2 border-line pl-2 text-soft">{comment.excerpt}</pre>}
      {isDraft ? (
        <textarea
          aria-label={`draft on ${comment.path}:${lines}`}
          rows={Math.min(5, text.split("\n").length)}
          className="field"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => text.trim() && text !== comment.text && void change(text)}
        />
      ) : (
        <p className="break-words whitespace-pre-wrap">{comment.text}</p>
      )}
    </li>
  );
}

function SentAs({ comment }: { comment: Comment }) {
  const sent = comment.sent_as ?? "";
  if (sent.startsWith("task:")) {
    return (
      <span>
        became <TaskLink id={sent.slice(5)} />
      </span>
    );
  }
  return <span>{SENT[sent] ?? sent}</span>;
}
