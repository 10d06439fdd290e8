import { createClient, type Answer, type Input, type Operations } from 'nest-llm-governance/client';
import { takeActivity } from './activity.ts';
import { API_ROOT } from './address.ts';
import { ApiError, errorOf } from './api-error.ts';

/** Id of an API operation, as in the OpenAPI document. */
export type Operation = keyof Operations;

/** The input of an operation: its parameters, and its body as `body`. */
export type InputOf<O extends Operation> = Input<O>;

/** The JSON answer of an operation. Lists and usage can also be read as CSV text: see `csv.ts`. */
export type AnswerOf<O extends Operation> = Exclude<Answer<O>, string>;

/** `fetch` with the header that the server requires of the page. Throws an ApiError for an error response. */
export async function pageFetch(address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  // This header protects against CSRF, because another site cannot send it.
  headers.set('X-Governance-Dashboard', '1');
  if (takeActivity()) headers.set('X-Dashboard-Activity', '1');
  const response = await fetch(address, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The server cannot be reached. Check the connection.');
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** This client does not retry. The query client does, because it knows which answers are still shown. */
const client = createClient({ baseUrl: API_ROOT.replace(/\/v1$/, ''), fetch: pageFetch, retries: 0 });

/** The signature of every operation, without specific types. */
type AnyMethod = (
  input: object,
  options: { signal?: AbortSignal; headers?: Record<string, string> },
) => Promise<unknown>;

/** Calls an operation. Returns the answer as it was sent. */
function callAs(operation: Operation, input: object, accept: string, signal?: AbortSignal): Promise<unknown> {
  // TypeScript cannot call a union of all operations. Each of them has this signature.
  const method = client[operation] as unknown as AnyMethod;
  return method(withoutEmpty(input), { headers: { accept }, ...(signal && { signal }) });
}

/** Calls an operation. Throws an ApiError for an error response. */
export async function call<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  signal?: AbortSignal,
): Promise<AnswerOf<O>> {
  // The client's types are generated from the OpenAPI document, and tests compare the document with real answers.
  return (await callAs(operation, input, 'application/json', signal)) as AnswerOf<O>;
}

/** Reads a whole list as CSV, with the filters and the order of the input. */
export async function callCsv(operation: Operation, input: object): Promise<string> {
  // This `Accept` header makes the API answer a list as CSV.
  return (await callAs(operation, input, 'text/csv')) as string;
}

/** Removes filters that are not set. */
function withoutEmpty(input: object): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== ''));
}

/** Sends JSON to a route of the page's server that is not part of the API. */
export async function send(address: string, method: string, body?: unknown): Promise<unknown> {
  const response = await pageFetch(address, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  return response.status === 204 ? undefined : response.json();
}
