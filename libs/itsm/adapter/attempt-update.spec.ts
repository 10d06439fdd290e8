import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ChangingAdapter } from '../../../test/support/itsm/changing-adapter.js';
import { AdapterHttp, type AdapterResponse } from './adapter-http.js';
import { attemptUpdate } from './attempt-update.js';
import type { TicketChange, UpdateOutcome } from './ticket-change.js';

const REF = { externalTicketId: 'TKT-1' };
const CHANGE: TicketChange = {
  ...{ kind: 'resolve', key: '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33', text: 'Done.', repeated: false },
  ...{ severity: 'high', severityBefore: 'high' },
};
const SECOND_MS = 1_000;

/** Answers after two seconds. The header `Date` of its answer is from a clock that differs from this machine's. */
class DatedPlatform extends AdapterHttp {
  constructor(
    private readonly clock: ManualClock,
    private readonly aheadMs: number | undefined,
  ) {
    super();
  }

  async request(): Promise<AdapterResponse> {
    this.clock.advance(2 * SECOND_MS);
    const date = this.aheadMs === undefined ? 'unknown' : new Date(this.clock.now().getTime() + this.aheadMs);
    const headers = { date: typeof date === 'string' ? date : date.toUTCString() };
    return { status: 200, headers, body: Buffer.from('{}'), json: () => ({}) };
  }
}

/** The outcome of an attempt that sends two requests. */
async function outcomeWith(aheadMs: number | undefined, said: Partial<UpdateOutcome> = {}): Promise<UpdateOutcome> {
  const clock = new ManualClock(new Date('2026-11-20T12:00:10Z'));
  class Asking extends ChangingAdapter {
    override async update({ http }: Parameters<ChangingAdapter['update']>[0]): Promise<UpdateOutcome> {
      for (let n = 0; n < 2; n++) await http.request({ method: 'GET', url: 'https://desk.example.com/' });
      return { kind: 'updated', ...said } as UpdateOutcome;
    }
  }
  const settings = { instance_url: 'https://desk.example.com' };
  const context = { settings, secrets: { user: 'u', password: 'p' }, http: new DatedPlatform(clock, aheadMs), clock };
  return attemptUpdate(new Asking(), context, REF, CHANGE);
}

describe('the time of a change whose adapter names none', () => {
  it('is the beginning of the attempt by the clock of the platform, because its reports have times of that clock', async () => {
    const behind = await outcomeWith(-5 * SECOND_MS);
    expect(behind).toEqual({ kind: 'updated', occurredAt: new Date('2026-11-20T12:00:05Z') });
  });

  it('is at the latest the beginning of the attempt by the clock of the service', async () => {
    expect(await outcomeWith(3_600 * SECOND_MS)).toMatchObject({ occurredAt: new Date('2026-11-20T12:00:10Z') });
  });

  it('is unknown if the platform names no date, so that no report of people is ignored', async () => {
    expect(await outcomeWith(undefined)).toEqual({ kind: 'updated' });
  });

  it('does not replace the time that the adapter names', async () => {
    const occurredAt = new Date('2026-11-20T12:00:08Z');
    expect(await outcomeWith(0, { occurredAt })).toMatchObject({ occurredAt });
  });
});
