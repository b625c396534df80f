// Change of a task that is not over: its words, its agent, its order and scope.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { Labelled } from "../parts/NewDialog";
import { doIt } from "../parts/said";

export function ChangeTask({ task, onChange }: { task: Views["TaskView"]; onChange: () => void }) {
  const first = { title: task.title, description: task.description, agent: task.agent, priority: task.priority, after: task.dependencies.join(" ") };
  const [form, setForm] = useState(first);
  const put = (change: Partial<typeof form>) => setForm((was) => ({ ...was, ...change }));
  const changed = Object.fromEntries(Object.entries(form).filter(([name, value]) => value !== first[name as keyof typeof first]));
  const send = async () => {
    const { after, ...rest } = changed;
    const body = { ...rest, ...(after === undefined ? {} : { after: after.split(/[\s,]+/).filter(Boolean) }) };
    const done = await doIt(() => call("patch", "/api/tasks/{task}", { path: { task: task.id }, body: body as never }), "changed");
    if (done) onChange();
  };
  return (
    <details className="max-w-2xl">
      <summary className="cursor-pointer text-sm text-accent">Change it</summary>
      <form
        className="mt-2 grid gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Labelled label="Title" className="sm:col-span-2">
          <input className="field" value={form.title} onChange={(event) => put({ title: event.target.value })} />
        </Labelled>
        <Labelled label="Description" className="sm:col-span-2">
          <textarea rows={4} className="field" value={form.description} onChange={(event) => put({ description: event.target.value })} />
        </Labelled>
        <Labelled label="Agent">
          <input className="field" value={form.agent} onChange={(event) => put({ agent: event.target.value })} />
        </Labelled>
        <Labelled label="Priority">
          <select className="field" value={form.priority} onChange={(event) => put({ priority: event.target.value })}>
            {["critical", "high", "medium", "low"].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Labelled>
        <Labelled label="Starts after" hint="ids of tasks" className="sm:col-span-2">
          <input className="field mono" value={form.after} onChange={(event) => put({ after: event.target.value })} />
        </Labelled>
        <div>
          <button type="submit" className="btn btn-main" disabled={Object.keys(changed).length === 0}>
            Save
          </button>
        </div>
      </form>
    </details>
  );
}
