// Link to a task: its title, with the state it is in.
import { paths } from "../state/route";
import { useTask } from "../state/tasks";
import { Sign, State } from "./marks";

export function TaskLink({ id, title }: { id: string; title?: string }) {
  const task = useTask(id);
  return (
    <span className="inline-flex max-w-full min-w-0 items-baseline gap-1">
      {task && <Sign status={task.status} />}
      <a href={paths.task(id)} className="min-w-0 truncate text-accent hover:underline" title={id}>
        {title ?? task?.title ?? id}
      </a>
      {task && task.status !== "done" && <State status={task.status} reason={task.reason} />}
    </span>
  );
}
