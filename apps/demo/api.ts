import { setTimeout as sleep } from 'node:timers/promises';

/** A JSON object in an answer of the API. */
export type Body = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- the demo reads single fields of many answers

/** Calls the public API like any client. */
export type Api = (method: string, path: string, body?: unknown) => Promise<Body>;

/**
 * Creates a function that calls the API. If the API answers with an error, the function throws an Error with the
 * request and the answer.
 */
export function apiOf(origin: string, token: string): Api {
  return async (method, path, body) => {
    for (;;) {
      const response = await fetch(`${origin}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      // Retries when the answer says so, because a queue may be full while the demo fills the app.
      if (response.status === 503 || response.status === 429) {
        await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
        continue;
      }
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 400)}`);
      return text === '' ? {} : (JSON.parse(text) as Body);
    }
  };
}
