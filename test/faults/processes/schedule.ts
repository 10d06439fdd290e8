// Used by the test and by `scripts/webhook-schedule.mjs`. Node runs this file without a build: it may contain no syntax
// that must be compiled, and nothing of Jest.
import type { Endpoint } from '../../support/https-endpoint.js';
import { sleep, until } from './chance.js';

/** A running app. */
export interface Target {
  url: string;
  token: string;
}

/** One received attempt. */
export interface Arrival {
  attempt: number;
  /** The earliest due time, counted from the first attempt. All times are in milliseconds. */
  dueMs: number;
  arrivedMs: number;
  /** How late the attempt came. A negative value means that it came early. */
  latenessMs: number;
}

/** The requests that a failing endpoint received, with their times. */
export interface Watch {
  /** The arrivals of each event so far, by event id. */
  readonly arrivals: ReadonlyMap<string, readonly Arrival[]>;
  /** Sends one ping to each webhook in turn. */
  ping(webhooks: readonly string[], everyMs: number): Promise<void>;
}

/** Registers webhooks at paths of the endpoint. Returns their ids. */
export async function registerWebhooks(target: Target, endpoint: Endpoint, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let webhook = 1; webhook <= count; webhook++) {
    const made = await call(target, '/v1/webhooks', { url: new URL(`/${webhook}`, endpoint.url).href });
    ids.push(String(Reflect.get(made, 'id')));
  }
  return ids;
}

/**
 * Makes the endpoint fail this many times per event, then answer with 200, and records the arrivals. Attempt n is due
 * `delays[n - 1]` after the time just before the answer to attempt n - 1 is written. The first attempt is due when its
 * ping is requested.
 */
export function watchSchedule(target: Target, endpoint: Endpoint, delays: readonly number[], failures: number): Watch {
  const arrivals = new Map<string, Arrival[]>();
  const firsts = new Map<string, number>();
  const answered = new Map<string, number>();
  const askedAt = new Map<string, number>();
  endpoint.behave(({ headers, path, arrivedTick }) => ({
    act: ({ response }) => {
      const event = String(headers['webhook-id']);
      const before = arrivals.get(event) ?? [];
      const due =
        before.length === 0 ? (askedAt.get(path) ?? 0) : (answered.get(event) ?? 0) + (delays[before.length] ?? 0);
      const first = firsts.get(event) ?? due;
      firsts.set(event, first);
      const latenessMs = arrivedTick - due;
      const arrival = { attempt: before.length + 1, dueMs: due - first, arrivedMs: arrivedTick - first, latenessMs };
      arrivals.set(event, [...before, arrival]);
      // Takes the time before the answer is written. If this process paused right after the answer, the delay of the
      // app would already have begun.
      answered.set(event, performance.now());
      response.writeHead(before.length < failures ? 500 : 200).end();
    },
  }));
  return {
    arrivals,
    ping: async (webhooks, everyMs) => {
      for (const [at, id] of webhooks.entries()) {
        askedAt.set(`/${at + 1}`, performance.now());
        await call(target, `/v1/webhooks/${id}/test`);
        await sleep(everyMs);
      }
    },
  };
}

/**
 * Waits until the given number of events has arrived the given number of times. Then waits a little longer, because an
 * attempt too many may follow.
 */
export async function untilArrived(watch: Watch, events: number, attempts: number, withinMs: number): Promise<void> {
  await until(`${events} events have arrived ${attempts} times`, withinMs, () => {
    const all = [...watch.arrivals.values()];
    return all.length === events && all.every(arrivals => arrivals.length >= attempts);
  });
  await sleep(2_000);
}

async function call({ url, token }: Target, path: string, body?: object): Promise<object> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} brought ${response.status}: ${text}`);
  return JSON.parse(text) as object;
}
