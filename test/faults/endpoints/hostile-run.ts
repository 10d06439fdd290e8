import { makeAuthority } from '../../support/certificates.js';
import { startEndpoint } from '../../support/https-endpoint.js';
import { startStandalone, type StandaloneProcess } from '../../support/standalone-process.js';
import type { Answer } from '../../support/test-app.js';
import { createTestDatabase } from '../../support/test-postgres.js';
import { sleep, until } from '../processes/chance.js';
import { complaintsIn } from '../processes/complaints.js';
import type { Hostile } from './hostile-endpoints.js';
import { forgetPeakMemory, peakMemory, TELLS_PEAK_MEMORY } from './peak-memory.js';
import { startRawEndpoint } from './raw-endpoint.js';

/** The log of one delivery. */
export interface LoggedDelivery {
  status: string;
  attempts: {
    duration_ms: number;
    http_status: number | null;
    response_body: string | null;
    response_truncated: boolean;
    error: string | null;
  }[];
}

/** The result of an event that was sent to hostile endpoints and to a healthy one. */
export interface HostileRun {
  /** The logged delivery of each hostile endpoint, by its name. */
  logged: ReadonlyMap<string, LoggedDelivery>;
  /**
   * Milliseconds from the call that caused the event until the log shows the delivery to the healthy endpoint, for each
   * event.
   */
  neighbourMs: readonly number[];
  /**
   * Memory of the app in MiB: after its warm-up, and the peak afterwards. Undefined if the system does not report it.
   */
  memory: { warm: number; most: number } | undefined;
  /** Warnings and errors in the log of the app, without messages about a busy machine. */
  complaints: readonly string[];
}

const WARM_UP_EVENTS = 150;
const PINGS = 6;
const PING_EVERY_MS = 1_500;
/** Longer than any attempt. */
const TIMEOUT_MS = 20_000;

/**
 * Runs the bundled app with one webhook per endpoint. All endpoints are healthy while the app warms up. Then they all
 * become hostile at the same time, and one event is fired.
 */
export async function runHostile(hostile: readonly Hostile[]): Promise<HostileRun> {
  const authority = await makeAuthority();
  const good = await startEndpoint({ authority });
  const ends: (() => Promise<unknown>)[] = [() => good.close()];
  try {
    const database = await createTestDatabase();
    ends.unshift(() => database.drop());
    const app = await startStandalone({
      DATABASE_URL: database.url,
      GOVERNANCE_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
      GOVERNANCE_EGRESS_ALLOW: 'webhooks=127.0.0.1',
      GOVERNANCE_RATE_LIMIT: '0',
      NODE_EXTRA_CA_CERTS: authority.caFile(),
    });
    ends.unshift(() => app.end('SIGKILL'));
    const call = callerOf(app);
    const register = async (url: string): Promise<string> => (await call('POST', '/v1/webhooks', { url })).id;
    const latestOf = async (id: string): Promise<LoggedDelivery> =>
      (await call('GET', `/v1/webhooks/${id}/deliveries?limit=1`)).items[0];
    const untilDelivered = async (id: string, count: number): Promise<void> =>
      until(`${count} events are delivered`, TIMEOUT_MS, async () => {
        const { total_count: delivered } = await call('GET', `/v1/webhooks/${id}/deliveries?status=delivered&limit=1`);
        return delivered === count;
      });
    const fire = (): Promise<unknown> =>
      call('POST', '/v1/decisions', { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' });

    await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada Lovelace' });
    await call('POST', '/v1/policies', { name: 'Tell of everything', action: 'alert' });
    const neighbour = await register(good.url);
    const webhooks = new Map<string, string>();
    const turns: (() => Promise<void>)[] = [];
    for (const { name, doing, certificate, raw } of hostile) {
      if (raw) {
        // An endpoint that is not a web server cannot be healthy during the warm-up, so it gets its webhook later.
        const endpoint = await startRawEndpoint(raw);
        ends.push(() => endpoint.close());
        turns.push(async () => void webhooks.set(name, await register(endpoint.url)));
        continue;
      }
      const endpoint = await startEndpoint({ authority, keep: false });
      ends.push(() => endpoint.close());
      webhooks.set(name, await register(endpoint.url));
      turns.push(async () => {
        endpoint.behave(doing ?? 'ok');
        if (certificate) await endpoint.present(certificate);
      });
    }
    const pid = app.process.pid ?? 0;
    for (let event = 0; event < WARM_UP_EVENTS; event++) await fire();
    for (const id of [neighbour, ...webhooks.values()]) await untilDelivered(id, WARM_UP_EVENTS);
    for (const turn of turns) await turn();
    if (TELLS_PEAK_MEMORY) forgetPeakMemory(pid);
    const warm = TELLS_PEAK_MEMORY ? peakMemory(pid) : 0;

    const neighbourMs: number[] = [];
    const measure = async (happen: () => Promise<unknown>): Promise<void> => {
      const [before, begun] = [good.requestCount, performance.now()];
      await happen();
      await untilDelivered(neighbour, before + 1);
      neighbourMs.push(Math.round(performance.now() - begun));
    };
    await measure(fire);
    for (let ping = 0; ping < PINGS; ping++) {
      await sleep(PING_EVERY_MS);
      await measure(() => call('POST', `/v1/webhooks/${neighbour}/test`));
    }
    const logged = new Map<string, LoggedDelivery>();
    const isTried = async (): Promise<boolean> => {
      for (const [name, id] of webhooks) logged.set(name, await latestOf(id));
      return [...logged.values()].every(({ attempts }) => attempts.length > 0);
    };
    // Ignores the timeout, because the delivery log shows which endpoint was not tried.
    await until('each endpoint was tried', TIMEOUT_MS, isTried).catch(() => undefined);
    const memory = TELLS_PEAK_MEMORY ? { warm, most: peakMemory(pid) } : undefined;
    const complaints = complaintsIn(app.output()).filter(line => /\b(WARN|ERROR|FATAL)\b/.test(line));
    return { logged, neighbourMs, memory, complaints };
  } finally {
    for (const end of ends) await end();
  }
}

/** Calls the API as admin. Throws if the call does not succeed. */
function callerOf({ url, token }: StandaloneProcess) {
  return async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} brought ${response.status}: ${text}`);
    return JSON.parse(text);
  };
}
