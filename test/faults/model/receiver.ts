import type { IncomingHttpHeaders } from 'node:http';
import type { Authority } from '../../support/certificates.js';
import { answer, BEHAVIOURS, redirect, type Behaviour, type Exchange } from '../../support/endpoint-behaviours.js';
import { startEndpoint } from '../../support/https-endpoint.js';
import type { TestDatabase } from '../../support/test-postgres.js';

/** The answer of an endpoint to a request whose worker survives. */
export type Reply = 200 | 500 | 404 | 302 | 'close';

/**
 * The fate of a request. `lost`: the sender dies before the answer. `hold`: the answer waits until the test releases
 * it.
 */
export type Will = Reply | 'lost' | 'hold';

/** A received POST and its answer. */
export interface Arrival {
  /** Last part of the path, which identifies the webhook. */
  endpointId: string;
  eventId: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  did: Will;
}

/** A request that waits for its answer. */
export interface Held {
  arrival: Arrival;
  /** The lease under which the request was sent. */
  token: string;
  reply(reply: Reply): void;
}

/** The endpoints of many webhooks: one server, with a path per webhook. */
export interface Receiver {
  urlOf(endpointId: string): string;
  /**
   * Sets the behaviors of a path. The nth request of a delivery gets the nth behavior; further requests get the last
   * behavior.
   */
  will(endpointId: string, wills: readonly Will[]): void;
  /** The requests since the last call, in order. */
  take(): Arrival[];
  /** The number of requests since the last call of `take`. */
  readonly waiting: number;
  readonly held: Held[];
  /** Answers all waiting requests. */
  release(reply: Reply): Held[];
  close(): Promise<void>;
}

/** A lease without a holder, because its worker died. */
export const DEAD = '00000000-0000-4000-8000-00000000dead';

const ITS_TASK = `
queue = 'webhook' and subject ->> 'event_id' = $1
and key = (select w.id::text from governance.webhooks w where w.url like '%/' || $2)`;
const KILL = `update governance.tasks set lease_token = '${DEAD}' where lease_token is not null and ${ITS_TASK}`;
const LEASE = `select lease_token from governance.tasks where ${ITS_TASK}`;

interface EndpointBehavior {
  wills: readonly Will[];
  met: Map<string, number>;
}

/** Starts the endpoints. If `holds` is false, a request that should be held is answered with 500. */
export async function startReceiver(authority: Authority, database: TestDatabase, holds: boolean): Promise<Receiver> {
  const behaviors = new Map<string, EndpointBehavior>();
  const held: Held[] = [];
  const holding = new Set<string>();
  const arrivals: Arrival[] = [];
  let replies: Record<Reply, Behaviour>;

  const meet = ({ endpointId, eventId }: Arrival): Will => {
    const behavior = behaviors.get(endpointId);
    const nth = behavior?.met.get(eventId) ?? 0;
    behavior?.met.set(eventId, nth + 1);
    const will = behavior?.wills[Math.min(nth, behavior.wills.length - 1)] ?? 200;
    if (will !== 'hold') return will;
    // Holds at most one request per webhook, because a webhook with two waiting requests would get no further
    // deliveries.
    if (!holds || holding.has(endpointId)) return 500;
    holding.add(endpointId);
    return will;
  };
  const act = async (arrival: Arrival, exchange: Exchange): Promise<void> => {
    if (arrival.did === 'lost') {
      await database.asOwner(KILL, [uuidOf(arrival.eventId), arrival.endpointId]);
      replies[200].act(exchange);
    } else if (arrival.did === 'hold') {
      const its = [uuidOf(arrival.eventId), arrival.endpointId];
      const [task] = await database.asOwner<{ lease_token: string }>(LEASE, its);
      held.push({ arrival, token: task?.lease_token ?? DEAD, reply: reply => replies[reply].act(exchange) });
    } else replies[arrival.did].act(exchange);
  };

  const endpoint = await startEndpoint({
    authority,
    keep: false,
    behaviour: ({ path, headers, body }) => {
      const { id } = JSON.parse(body.toString()) as { id: string };
      const arrival: Arrival = {
        endpointId: path.slice(path.lastIndexOf('/') + 1),
        eventId: id,
        headers,
        body,
        did: 200,
      };
      arrival.did = meet(arrival);
      arrivals.push(arrival);
      return { act: exchange => void act(arrival, exchange) };
    },
  });
  replies = {
    200: answer(200, 'ok'),
    404: answer(404, 'nobody here'),
    500: answer(500, 'out of order'),
    302: redirect(`${endpoint.url}wh/elsewhere`),
    close: BEHAVIOURS.close,
  };

  return {
    urlOf: endpointId => `${endpoint.url}wh/${endpointId}`,
    will: (endpointId, wills) => void behaviors.set(endpointId, { wills, met: new Map() }),
    take: () => arrivals.splice(0),
    get waiting() {
      return arrivals.length;
    },
    held,
    release: reply => {
      const released = held.splice(0);
      holding.clear();
      for (const one of released) one.reply(reply);
      return released;
    },
    close: () => endpoint.close(),
  };
}

/** The id of the stored event. */
function uuidOf(wireId: string): string {
  return wireId.replace(/^evt_(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
