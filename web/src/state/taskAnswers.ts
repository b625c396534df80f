// Answers to a task: first what its reason asks for, then what is possible in its state.
import { call, type Views } from "../api/client";
import { answerTo, sayAnswer, taskAnswer, unitAnswers, type Answer, type Elsewhere } from "./answers";
import { paths } from "./route";

type Task = Views["TaskView"];

export function answersToTask(task: Task, why: Views["Why"]): (Answer | Elsewhere)[] {
  const found = why.actions.map((one) => answerTo(one, task.project, task.reason));
  if (task.status === "needs_review" && task.reason === "review") found.unshift({ label: "Review", href: paths.review(task.id) });
  const labels = new Set(found.map((one) => one.label));
  const add = (one: Answer) => {
    if (!labels.has(one.label)) found.push(one);
  };
  const live = task.runs.filter((one) => one.live);
  const isOver = task.status === "failed" || task.status === "cancelled";
  if (live.length) add(sayAnswer(task.id, "Say", "Words for the agent, at its next step"));
  for (const one of live) add(stop(one.id));
  if (task.status === "done") add(revert(task.id));
  if (task.unit) {
    // by its task: a name such as `root` is of the newest tree alone
    for (const one of unitAnswers(task.id, task.status, task.reason)) add(one);
  } else {
    if (isOver) add(taskAnswer("retry", task.id));
    if (!isOver && task.status !== "done") add(taskAnswer("cancel", task.id));
  }
  return found.filter((one) => !("href" in one && one.href === paths.task(task.id)));
}

function stop(run: string): Answer {
  return {
    label: "Stop",
    tone: "danger",
    asks: null,
    warns: "Its process ends; what it wrote is kept, and the task can be retried.",
    run: async () => {
      await call("post", "/api/runs/{run}/stop", { path: { run } });
      return `stopping ${run}`;
    },
  };
}

function revert(task: string): Answer {
  return {
    label: "Revert",
    tone: "danger",
    asks: { words: "Why? (optional)", isNeeded: false },
    warns: "A new task takes its work off the branch again, through the same checks.",
    run: async (note) => {
      const made = await call("post", "/api/tasks/{task}/revert", { path: { task }, body: { note } });
      const later = made.builds_on_it.map((one) => one.title).join(", ");
      return `${made.id} reverts it${later ? `; built on it since: ${later}` : ""}`;
    },
  };
}
