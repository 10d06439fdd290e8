import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { percentile, report } from '../processes/chance.js';
import { HOSTILE, type Hostile } from './hostile-endpoints.js';
import { runHostile, type HostileRun } from './hostile-run.js';
import { TELLS_PEAK_MEMORY } from './peak-memory.js';

const TIMEOUT_MS = 10_000;
/**
 * Limits for the end of an attempt. It ends within 10.3 s on an idle machine. An attempt that restarted its timeout
 * would take 20 s.
 */
const [ENDED_P50_MS, ENDED_MAX_MS] = [13_000, 18_000];
/**
 * Limits for the delivery to a healthy endpoint. It takes less than a second on an idle machine. A delivery that waited
 * for an attempt at a hostile endpoint would take ten seconds.
 */
const [NEIGHBOUR_P50_MS, NEIGHBOUR_MAX_MS] = [4_000, 9_000];
const MORE_MEMORY_MIB = 20;

let run: HostileRun;

beforeAll(async () => {
  run = await runHostile(HOSTILE);
});

const logOf = ({ name }: Hostile) => run.logged.get(name)!;

/** Replaces a long text by its digest, so that a difference is readable. */
function brief(text: string): string {
  return text.length <= 100 ? text : `${text.length} characters, ${createHash('sha256').update(text).digest('hex')}`;
}

describe('hostile endpoints, all at the same time', () => {
  it.each(HOSTILE)('have each attempt logged with the right cause: $name', hostile => {
    const { status, error, body = '', truncated = false } = hostile;
    const { attempts } = logOf(hostile);
    expect(attempts.length).toBeGreaterThan(0);
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        http_status: status ?? null,
        response_truncated: truncated,
        error: error === undefined ? null : expect.stringMatching(new RegExp(`^${error}: [A-Z].*\\.$`)),
      });
      if (status === undefined) expect(attempt.response_body).toBeNull();
      else if (body instanceof RegExp) expect(attempt.response_body).toMatch(body);
      else expect(brief(attempt.response_body ?? '')).toBe(brief(body));
    }
  });

  it('count as delivered for a 2xx status only', () => {
    const delivered = HOSTILE.filter(hostile => logOf(hostile).status === 'delivered').map(({ name }) => name);
    const with2xx = HOSTILE.filter(({ status = 0 }) => status >= 200 && status < 300).map(({ name }) => name);
    expect(delivered).toEqual(with2xx);
  });

  it('have an attempt ended after ten seconds, not before and not much later', () => {
    const durations = HOSTILE.filter(({ takesAllTime }) => takesAllTime).flatMap(hostile =>
      logOf(hostile).attempts.map(attempt => attempt.duration_ms),
    );
    const [earliest = 0, p50 = 0, latest = 0] = [0, 0.5, 1].map(share => percentile(durations, share));
    report('attempts that take all their time, in ms', { count: durations.length, earliest, p50, latest });
    expect(earliest).toBeGreaterThanOrEqual(TIMEOUT_MS);
    expect(p50).toBeLessThanOrEqual(ENDED_P50_MS);
    expect(latest).toBeLessThanOrEqual(ENDED_MAX_MS);
  });

  it('have every other attempt ended much earlier', () => {
    const others = HOSTILE.filter(({ takesAllTime }) => !takesAllTime).flatMap(hostile =>
      logOf(hostile).attempts.map(attempt => attempt.duration_ms),
    );
    report('all other attempts, in ms', { count: others.length, latest: Math.max(...others) });
    expect(Math.max(...others)).toBeLessThan(TIMEOUT_MS * 0.9);
  });

  it('do not delay a healthy endpoint', () => {
    report('neighbour, in ms', { waited: run.neighbourMs });
    expect(percentile(run.neighbourMs, 0.5)).toBeLessThan(NEIGHBOUR_P50_MS);
    expect(Math.max(...run.neighbourMs)).toBeLessThan(NEIGHBOUR_MAX_MS);
  });

  it('use little memory', () => {
    const { warm, most } = run.memory ?? { warm: 0, most: 0 };
    report('memory, in MiB', { warm: Math.round(warm), most: Math.round(most) });
    expect(warm > 0).toBe(TELLS_PEAK_MEMORY);
    expect(most - warm).toBeLessThanOrEqual(MORE_MEMORY_MIB);
  });

  it('cause no warnings', () => {
    expect(run.complaints).toEqual([]);
  });
});
