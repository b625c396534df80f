// Calls of the page's API, typed by the OpenAPI document (`npm run types`).
import type { components, paths } from "./schema";

export type Views = components["schemas"];

/** What was refused, with the way out that the daemon names. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

type Method = "get" | "post" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = Extract<paths[P][M], object>;
type Answer<O> = O extends { responses: { 200: { content: { "application/json": infer A } } } } ? A : never;
type Part<O, K extends string> = O extends { parameters: { [one in K]?: infer V } } ? V : never;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;

type Given<O> = { path?: Part<O, "path">; query?: Part<O, "query">; body?: Body<O> };
type PathsWith<M extends Method> = { [P in keyof paths]: paths[P][M] extends object ? P : never }[keyof paths];

/** `call("get", "/api/tasks/{task}", {path: {task: id}})`; throws a `Refusal`. */
export async function call<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  given: Given<Operation<P, M>> = {},
): Promise<Answer<Operation<P, M>>> {
  const answer = await fetch(addressOf(path as string, given.path, given.query), {
    method: method.toUpperCase(),
    headers: given.body === undefined ? {} : { "content-type": "application/json" },
    body: given.body === undefined ? undefined : JSON.stringify(given.body),
  });
  const body: unknown = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const said = body as { error?: string; hint?: string };
    throw new Refusal(answer.status, said.error ?? answer.statusText, said.hint ?? "");
  }
  return body as Answer<Operation<P, M>>;
}

function addressOf(path: string, named: unknown, query: unknown): string {
  let found = path;
  for (const [name, value] of Object.entries((named ?? {}) as Record<string, unknown>)) {
    found = found.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") asked.set(name, String(value));
  }
  const text = asked.toString();
  return text ? `${found}?${text}` : found;
}
