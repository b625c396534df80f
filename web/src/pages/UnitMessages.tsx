// Messages between a unit, its parent and its children, as they were sent and taken.
import { call } from "../api/client";
import { State, words } from "../parts/marks";
import { Ago } from "../parts/time";
import { useLoaded } from "../state/loaded";

/** Nothing at all where it is no unit. */
export function UnitMessages({ id }: { id: string }) {
  const { data } = useLoaded(
    `messages ${id}`,
    async () => (await call("get", "/api/units/{unit}/messages", { path: { unit: id }, query: { limit: 1000 } })).messages,
    (message) => message.type === "task_changed" && message.task_id === id,
  );
  if (!data?.length) return null;
  return (
    <section aria-label="messages" className="border-b border-line">
      <h3 className="heading px-3 pt-2 sm:px-4">Messages of the unit</h3>
      <ol className="divide-y divide-line">
        {data.map((one) => (
          <li key={one.id} className="grid gap-x-4 px-3 py-2 sm:grid-cols-[14rem_1fr] sm:px-4">
            <span className="text-sm text-soft">
              {one.from} → {one.to} <Ago at={one.ts} className="text-xs text-faint" />
            </span>
            <span className="min-w-0 break-words whitespace-pre-wrap">
              {one.line || words(one.type)} <State status={one.state} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
