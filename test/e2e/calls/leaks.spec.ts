import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { governedFetch } from 'nest-llm-governance/openai';
import { startProvider, type Provider } from '../../support/providers/provider.js';
import { IS_FULL } from '../../faults/processes/chance.js';
import { until } from '../../support/webhooks.js';
import { openStage, type Stage } from './stage.support.js';

const CALLS = IS_FULL ? 10_000 : 500;
/** Calls before the measurement. They fill pools and caches, and let the code be compiled. */
const WARM_UP = 200;
const AT_ONCE = 20;
const TIME_LIMIT_MS = IS_FULL ? 600_000 : 120_000;
const MIB = 2 ** 20;
/**
 * The growth that statistics and fixed-size caches may cause. In the full form of the test, a leak of one kilobyte per
 * call would add ten mebibytes.
 */
const HEAP_GROWTH_MAX = 8 * MIB;

setFlagsFromString('--expose-gc');
const collect: unknown = runInNewContext('gc');

/** The resources of a process. */
interface Held {
  files: number;
  timers: number;
  sockets: number;
  heap: number;
}

function heldNow(): Held {
  if (typeof collect === 'function') collect();
  const resources = process.getActiveResourcesInfo();
  const count = (kind: RegExp): number => resources.filter(name => kind.test(name)).length;
  return {
    // On systems other than Linux, only the sockets are counted.
    files: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    timers: count(/Timeout|Immediate/),
    sockets: count(/TCP|TLS|Pipe/),
    heap: process.memoryUsage().heapUsed,
  };
}

describe(`${CALLS} calls whose callers disconnect in the middle of a stream`, () => {
  let stage: Stage;
  /** Does not record calls, because the growing records would look like a leak. */
  let provider: Provider;

  beforeAll(async () => {
    stage = await openStage();
    provider = await startProvider({ kind: 'openai', keep: false });
    provider.behave({ outputTokens: 50, promptTokens: 13, death: { how: 'hang', at: 2 } });
    const body = { kind: 'openai', base_url: provider.url, secrets: { api_key: provider.key } };
    const answer = await stage.app.call('PUT', '/v1/gateway/providers/openai', body);
    if (answer.status !== 200) throw new Error(answer.text);
  });
  afterAll(async () => {
    await provider.close();
    await stage.close();
  });

  const ways: [string, () => { url: string; key: string; send: typeof fetch }][] = [
    [
      'in process',
      () => {
        const { calls, orgId, people } = stage;
        const send = governedFetch(calls, () => ({ orgId, user_id: people.Sales.id }));
        return { url: provider.url, key: provider.key, send };
      },
    ],
    [
      'through the gateway',
      () => ({ url: `${stage.app.url}/gateway/openai`, key: stage.people.Sales.token, send: fetch }),
    ],
  ];

  it.each(ways)(
    'leak no file, timer or memory %s',
    async (_way, waySoFar) => {
      const { url, key, send } = waySoFar();
      const leaveOne = async (): Promise<void> => {
        const abort = new AbortController();
        const answer = await send(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            ...{ model: 'gpt-4o-mini', stream: true },
            messages: [{ role: 'user', content: 'x'.repeat(40) }],
          }),
          signal: abort.signal,
        });
        const reader = answer.body?.getReader();
        await reader?.read();
        abort.abort();
        await reader?.cancel().catch(() => undefined);
      };
      const leave = async (count: number): Promise<void> => {
        const before = provider.totals.cut;
        let left = count;
        const work = async (): Promise<void> => {
          while (left > 0) {
            left -= 1;
            await leaveOne();
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
        await provider.until(() => provider.totals.cut === before + count && provider.openSockets === 0, 30_000);
        await until(async () => (await openCalls()) === 0, 30_000);
      };
      const openCalls = async (): Promise<number> => {
        const [row] = await stage.app.database.asOwner<{ open: string }>(
          `select (select count(*) from governance.reservations) + (select count(*) from governance.open_calls) as open`,
          [],
        );
        return Number(row?.open);
      };

      await leave(WARM_UP);
      const before = heldNow();
      await leave(CALLS);
      // Idle connections close after a delay.
      const after = await until(async () => {
        const now = heldNow();
        const isBack = now.files <= before.files && now.timers <= before.timers && now.sockets <= before.sockets;
        return isBack && now.heap - before.heap < HEAP_GROWTH_MAX ? now : undefined;
      }, 30_000).catch(heldNow);
      expect(after.files).toBeLessThanOrEqual(before.files);
      expect(after.sockets).toBeLessThanOrEqual(before.sockets);
      expect(after.timers).toBeLessThanOrEqual(before.timers);
      expect(after.heap - before.heap).toBeLessThan(HEAP_GROWTH_MAX);
      const [row] = await stage.app.database.asOwner<{ count: string; requests: string }>(
        'select count(*) from governance.usage_events',
        [],
      );
      expect(Number(row?.count)).toBe(provider.totals.cut);
    },
    TIME_LIMIT_MS,
  );
});
