// What a done task stands on: the checks that passed, and the commit that it landed as.
import { call, type Views } from "../api/client";
import { counted } from "../parts/words";
import { useLoaded } from "../state/loaded";

type Task = Views["TaskView"];
const NAMED = 3;

export function DoneBy({ task }: { task: Task }) {
  const { data } = useLoaded(
    `done ${task.id}`,
    () => call("get", "/api/tasks/{task}/evidence", { path: { task: task.id } }),
    (message) => message.type === "task_update" && message.task_id === task.id,
  );
  if (!data) return null;
  const named = data.checks.slice(0, NAMED).map((one) => one.command);
  const passed = data.checks.filter((one) => one.result === "passed").length;
  return (
    <p className="max-w-[100ch] break-words" data-done-by>
      Done:{" "}
      {data.checks.length ? (
        <>
          {passed === data.checks.length ? counted(passed, "check") : `${passed} of ${counted(data.checks.length, "check")}`} passed (
          {named.map((one, at) => (
            <span key={`${at} ${one}`}>
              {at > 0 && ", "}
              <code>{one}</code>
            </span>
          ))}
          {data.checks.length > NAMED && " …"})
        </>
      ) : (
        "no check was asked for"
      )}
      {task.landed_commit && (
        <>
          , landed on {task.target_branch} as <code title={task.landed_commit}>{task.landed_commit.slice(0, 9)}</code>
        </>
      )}
      .
    </p>
  );
}
