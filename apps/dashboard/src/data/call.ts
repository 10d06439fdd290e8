import { createClient, type Answer, type Input, type Operations } from 'nest-llm-governance/client';
import { takeActivity } from './activity.ts';
import { API_ROOT } from './address.ts';
import { ApiError, errorOf } from './api-error.ts';

/** Name of an operation of the API, as its OpenAPI document has it. */
export type Operation = keyof Operations;

/** What an operation takes: its parameters side by side, and its body as `body`. */
export type InputOf<O extends Operation> = Input<O>;

/** What an operation answers. Lists and usage also have a text, which CSV is: see `csv.ts`. */
export type AnswerOf<O extends Operation> = Exclude<Answer<O>, string>;

/** `fetch` with what the server wants to see of the page. Throws an ApiError unless the answer is a success. */
export async function pageFetch(address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // No other site can send it.
  headers.set('X-Governance-Dashboard', '1');
  if (takeActivity()) headers.set('X-Dashboard-Activity', '1');
  const response = await fetch(address, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The server cannot be reached. Check the connection.');
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Never tries again by itself: the query client does, and it knows which answers the page still shows. */
const client = createClient({ baseUrl: API_ROOT.replace(/\/v1$/, ''), fetch: pageFetch, retries: 0 });

/** Any operation, without the types of one. */
type AnyMethod = (
  input: object,
  options: { signal?: AbortSignal; headers?: Record<string, string> },
) => Promise<unknown>;

/** Calls an operation and gives the answer as the server sent it. */
function callAs(operation: Operation, input: object, accept: string, signal?: AbortSignal): Promise<unknown> {
  // A union of all operations cannot be called; each of them has this shape.
  const method = client[operation] as unknown as AnyMethod;
  return method(withoutEmpty(input), { headers: { accept }, ...(signal && { signal }) });
}

/** Calls an operation. Throws an ApiError unless the answer is a success. */
export async function call<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  signal?: AbortSignal,
): Promise<AnswerOf<O>> {
  // The types of the client are generated from the OpenAPI document, which tests compare with the answers.
  return (await callAs(operation, input, 'application/json', signal)) as AnswerOf<O>;
}

/** Reads a list as CSV: every row, with the filters and the order of the input. */
export async function callCsv(operation: Operation, input: object): Promise<string> {
  // The API answers each list as CSV that is asked for so.
  return (await callAs(operation, input, 'text/csv')) as string;
}

/** Leaves out filters that are not set. */
function withoutEmpty(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== ''));
}

/** Sends JSON to an address of the page's own server that is not part of the API. */
export async function send(address: string, method: string, body?: unknown): Promise<unknown> {
  const response = await pageFetch(address, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  return response.status === 204 ? undefined : response.json();
}
