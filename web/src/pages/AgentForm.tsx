// Form of an agent: what is left as it is is not sent.
import { useState } from "react";

import { call, type Views } from "../api/client";
import { Labelled } from "../parts/NewDialog";
import { doIt } from "../parts/said";

type Agent = Views["AgentView"];
const CLIENTS = ["claude", "codex", "gemini", "opencode", "command"];

export function AgentForm({ agent, project, onDone }: { agent?: Agent; project: string; onDone: () => void }) {
  const first = {
    name: agent?.name ?? "",
    client: agent?.client ?? "claude",
    command: agent?.command ?? "",
    role: agent?.role ?? "",
    model: agent?.model ?? "",
    slots: agent?.slots ? String(agent.slots) : "",
    system_prompt: agent?.system_prompt ?? "",
  };
  const [form, setForm] = useState(first);
  const [passkey, setPasskey] = useState("");
  const put = (change: Partial<typeof form>) => setForm((was) => ({ ...was, ...change }));
  const changed = Object.entries(form).filter(([name, value]) => (agent ? value !== first[name as keyof typeof first] : value !== ""));
  const send = async () => {
    const given = Object.fromEntries(changed.map(([name, value]) => [name, name === "slots" ? Number(value || 0) : value]));
    const done = await doIt(() => call("post", "/api/agents", { body: { ...given, name: form.name, project } as never }), agent ? "changed" : "added");
    if (!done) return;
    setPasskey(agent ? "" : (done.passkey ?? ""));
    onDone();
  };
  return (
    <form
      aria-label={agent ? `change ${agent.name}` : "new agent"}
      className="grid w-full gap-3 sm:grid-cols-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {!agent && (
        <Labelled label="Name">
          <input className="field" value={form.name} onChange={(event) => put({ name: event.target.value })} />
        </Labelled>
      )}
      <Labelled label="Program">
        <select className="field" value={form.client} onChange={(event) => put({ client: event.target.value })}>
          {!CLIENTS.includes(form.client) && <option value={form.client}>{form.client || "another starts it"}</option>}
          {CLIENTS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Labelled>
      {form.client === "command" && (
        <Labelled label="Command" className="sm:col-span-2">
          <input className="field mono" placeholder="sh agent.sh {prompt_file}" value={form.command} onChange={(event) => put({ command: event.target.value })} />
        </Labelled>
      )}
      <Labelled label="Role">
        <input className="field" value={form.role} onChange={(event) => put({ role: event.target.value })} />
      </Labelled>
      <Labelled label="Model" hint="empty: the program's own">
        <input className="field" value={form.model} onChange={(event) => put({ model: event.target.value })} />
      </Labelled>
      <Labelled label="At once" hint="empty: no limit">
        <input className="field" inputMode="numeric" value={form.slots} onChange={(event) => put({ slots: event.target.value.replace(/\D/g, "") })} />
      </Labelled>
      <Labelled label="System prompt" className="sm:col-span-3">
        <textarea rows={3} className="field" value={form.system_prompt} onChange={(event) => put({ system_prompt: event.target.value })} />
      </Labelled>
      <div className="flex items-center gap-3 sm:col-span-3">
        <button type="submit" className="btn btn-main" disabled={!form.name || changed.length === 0}>
          {agent ? "Save" : "Add"}
        </button>
        {passkey && (
          <span className="text-sm text-wait">
            Its passkey, shown once: <code>{passkey}</code>
          </span>
        )}
      </div>
    </form>
  );
}
