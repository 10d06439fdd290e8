import { describe, expect, it } from '@jest/globals';
import {
  afterCreate,
  afterFailedLook,
  afterFailedSearch,
  afterInterruption,
  afterLastLook,
  afterSearch,
  GIVE_UP_MS,
  LAST_LOOK_MS,
  RECREATIONS_MAX,
  RETRY_AFTER_MAX_MS,
  RETRY_DELAYS_MS,
  SEARCH_DELAYS_MS,
  type Standing,
  type Step,
} from './next-step.js';
import { progressOf, payloadOf, type Progress } from './progress.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const REF = { externalTicketId: 'INC0010023' };
const begin = progressOf({});
const STRONG: Standing = { findByKey: 'strong', unanswered: 1 };
const EVENTUAL: Standing = { findByKey: 'eventual', unanswered: 1 };

/** Returns the steps after a sequence of equal outcomes. */
function chain(first: Progress, step: (progress: Progress) => Step, times: number): (number | null)[] {
  const waits: (number | null)[] = [];
  for (let progress = first; waits.length < times;) {
    const { againAfterMs, progress: next } = step(progress);
    waits.push(againAfterMs);
    progress = next;
  }
  return waits;
}

describe('an attempt to create a ticket', () => {
  it('is repeated after 1, 5, 30 and 300 seconds, then every 15 minutes, if nothing was created', () => {
    const waits = chain(begin, progress => afterCreate(progress, { kind: 'retryable', message: '' }, STRONG, NOW), 7);
    expect(waits).toEqual([1_000, 5_000, 30_000, 300_000, 900_000, 900_000, 900_000]);
    expect(waits.slice(0, 5)).toEqual([...RETRY_DELAYS_MS]);
  });

  it.each([
    [undefined, 1_000],
    [0, 1_000],
    [-5, 1_000],
    [2_000, 2_000],
    [RETRY_AFTER_MAX_MS + 1, RETRY_AFTER_MAX_MS],
  ])('waits as the platform says with %p, at most an hour', (retryAfterMs, wait) => {
    const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
    const step = afterCreate(begin, { kind: 'retryable', message: '', ...asked }, STRONG, NOW);
    expect(step.againAfterMs).toBe(wait);
    expect(step.quietMs).toBe(wait === 1_000 ? undefined : wait);
  });

  it('is not repeated once a day has passed since the first attempt', () => {
    const since = (ms: number) => ({ ...begin, tries: 9, since: new Date(NOW.getTime() - ms).toISOString() });
    const step = (ms: number) => afterCreate(since(ms), { kind: 'retryable', message: 'Away.' }, STRONG, NOW);
    expect(step(GIVE_UP_MS - 1).againAfterMs).toBe(900_000);
    expect(step(GIVE_UP_MS)).toMatchObject({
      againAfterMs: null,
      result: { syncState: 'rejected', errorCode: 'unreachable', error: 'Away.' },
    });
  });

  it('with unknown outcome is repeated without a search if it is idempotent', () => {
    const standing: Standing = { findByKey: 'none', unanswered: 1, isIdempotent: true };
    const lost = { kind: 'uncertain', message: 'Late.' } as const;
    expect(chain(begin, progress => afterCreate(progress, lost, standing, NOW), 5)).toEqual([...RETRY_DELAYS_MS]);
    const step = afterCreate(begin, lost, standing, NOW);
    expect(step).toMatchObject({ result: { syncState: 'uncertain', error: 'Late.' }, progress: { phase: 'create' } });
    const again = { ...standing, findByKey: 'strong', unanswered: 4 } as const;
    const created = afterCreate(step.progress, { kind: 'created', ref: REF }, again, NOW);
    expect(created).toMatchObject({ againAfterMs: null, result: { syncState: 'created', ref: REF } });
    const late = { ...begin, tries: 9, since: new Date(NOW.getTime() - GIVE_UP_MS).toISOString() };
    expect(afterCreate(late, lost, standing, NOW)).toMatchObject({
      againAfterMs: null,
      result: { syncState: 'uncertain', errorCode: 'uncertain' },
    });
  });

  it('is never repeated if the ticket exists or was refused', () => {
    const created = afterCreate(begin, { kind: 'created', ref: REF, degraded: ['No group.'] }, STRONG, NOW);
    expect(created).toMatchObject({
      againAfterMs: null,
      result: { syncState: 'created', ref: REF, degraded: ['No group.'] },
    });
    const refused = afterCreate(begin, { kind: 'rejected', code: 'field', message: 'No.' }, STRONG, NOW);
    expect(refused).toMatchObject({ againAfterMs: null, result: { syncState: 'rejected', errorCode: 'field' } });
  });

  it.each(['strong', 'eventual'] as const)('with unknown outcome is followed by a search (%s)', findByKey => {
    for (const step of [
      afterCreate(begin, { kind: 'uncertain', message: 'Late.' }, { findByKey, unanswered: 1 }, NOW),
      afterInterruption(begin, findByKey, NOW),
    ]) {
      expect(step).toMatchObject({
        againAfterMs: SEARCH_DELAYS_MS[findByKey][0],
        progress: { phase: 'find', searches: 0 },
      });
      expect(step.result.syncState).toBe('uncertain');
    }
  });

  it('with unknown outcome is left to a person if the platform cannot be searched', () => {
    expect(afterInterruption(begin, 'none', NOW)).toMatchObject({
      againAfterMs: null,
      result: { syncState: 'uncertain' },
    });
  });
});

describe('a search for a ticket', () => {
  const searching: Progress = { ...begin, phase: 'find', since: NOW.toISOString() };

  it('that finds the ticket is the last step, and reports other tickets with the same key', () => {
    const step = afterSearch(searching, [REF, { externalTicketId: 'INC0010024' }], STRONG, NOW);
    expect(step).toMatchObject({ againAfterMs: null, result: { syncState: 'created', ref: REF, attempted: false } });
    expect(step.result.degraded).toEqual(['The platform has another ticket with the same key: INC0010024.']);
  });

  it('that finds nothing is made three times, also with strong consistency, and then the ticket is created again', () => {
    const waits = chain(searching, progress => afterSearch(progress, [], EVENTUAL, NOW), 3);
    expect(waits).toEqual([15_000, 30_000, 0]);
    expect(chain(searching, progress => afterSearch(progress, [], STRONG, NOW), 3)).toEqual([8_000, 20_000, 0]);
    const step = afterSearch({ ...searching, searches: 2 }, [], { ...STRONG, unanswered: 2 }, NOW);
    expect(step.progress).toMatchObject({ phase: 'create', lookedFor: 2 });
  });

  it('repeats the create of a ticket that is never found at growing intervals, for a day at most', () => {
    const again = (tries: number, now = NOW) =>
      afterSearch({ ...searching, tries, searches: 2 }, [], STRONG, now).againAfterMs;
    expect([0, 1, 2, 3, 4, 5, 9].map(tries => again(tries))).toEqual([
      0, 1_000, 5_000, 30_000, 300_000, 900_000, 900_000,
    ]);
    expect(again(1, new Date(NOW.getTime() + GIVE_UP_MS))).toBeNull();
  });

  it('leaves the ticket to a person if it was created again twice and no search finds it', () => {
    const looked: Progress = { ...searching, searches: 2 };
    const after = (unanswered: number, more: Partial<Progress> = {}) =>
      afterSearch({ ...looked, lookedFor: unanswered - 1, ...more }, [], { ...STRONG, unanswered }, NOW);
    expect([1, 2].map(unanswered => after(unanswered).progress.phase)).toEqual(['create', 'create']);
    expect(after(RECREATIONS_MAX + 1)).toMatchObject({
      againAfterMs: null,
      result: { syncState: 'uncertain', errorCode: 'uncertain', error: expect.stringContaining('again 2 times') },
    });
    // Each retry by a person allows one more create.
    expect(after(RECREATIONS_MAX + 1, { byHand: true })).toMatchObject({ progress: { phase: 'create' } });
    expect(after(RECREATIONS_MAX + 2).againAfterMs).toBeNull();
  });

  it('that a person requests is followed by the usual searches if the ticket may exist, and by a create at once if it was refused', () => {
    const asked: Progress = { ...searching, byHand: true, searches: -1 };
    const waits = chain(asked, progress => afterSearch(progress, [], EVENTUAL, NOW), 4);
    expect(waits).toEqual([...SEARCH_DELAYS_MS.eventual, 0]);
    expect(afterSearch(asked, [], { ...EVENTUAL, unanswered: 0 }, NOW)).toMatchObject({
      againAfterMs: 0,
      progress: { phase: 'create' },
    });
  });

  it('is made once more, later, if a ticket was created and another one may appear', () => {
    const outcome = { kind: 'created', ref: REF } as const;
    const later = [
      afterCreate(begin, outcome, { ...STRONG, unanswered: 2 }, NOW),
      afterSearch(searching, [REF], { ...STRONG, unanswered: 2 }, NOW),
    ];
    for (const step of later) {
      expect(step).toMatchObject({ againAfterMs: LAST_LOOK_MS, result: { syncState: 'created' } });
    }
    expect(afterCreate(begin, outcome, { findByKey: 'none', unanswered: 2 }, NOW).againAfterMs).toBeNull();
    const look = afterLastLook(searching, 'INC0010023', [{ externalTicketId: 'INC0010024' }, REF]);
    expect(look).toMatchObject({ againAfterMs: null, result: { syncState: 'created', isLastLook: true } });
    expect(look.result.degraded).toEqual(['The platform has another ticket with the same key: INC0010024.']);
  });

  it('without an answer is repeated, and the ticket is never created meanwhile', () => {
    const step = afterFailedSearch(searching, { message: 'Away.' }, NOW);
    expect(step).toMatchObject({
      againAfterMs: 1_000,
      progress: { phase: 'find', tries: 1 },
      result: { error: 'Away.' },
    });
    const late = afterFailedSearch(searching, { message: 'Away.' }, new Date(NOW.getTime() + GIVE_UP_MS));
    expect(late).toMatchObject({ againAfterMs: null, result: { syncState: 'uncertain' } });
  });

  it('that is refused waits as long as the platform asks, and stops all other requests if they would be refused, too', () => {
    const asked = { message: 'Busy.', retryAfterMs: 600_000 };
    for (const after of [afterFailedSearch, afterFailedLook]) {
      expect(after(searching, asked, NOW)).toMatchObject({ againAfterMs: 600_000, quietMs: 600_000 });
      expect(after(searching, { message: 'No.', code: 'auth' }, NOW).result.refusesAll).toBe('auth');
      expect(after(searching, { message: 'Asleep.', code: 'hibernating' }, NOW).result.refusesAll).toBe('hibernating');
      // An account that may not search may nevertheless be allowed to create.
      for (const code of ['forbidden', 'config', 'field'] as const) {
        expect(after(searching, { message: 'No.', code }, NOW).result.refusesAll).toBeUndefined();
      }
    }
  });
});

describe('progress', () => {
  it('is the same after it was stored in a task and read', () => {
    const progress: Progress = {
      phase: 'find',
      tries: 2,
      searches: -1,
      lookedFor: 2,
      since: NOW.toISOString(),
      byHand: true,
    };
    expect(progressOf(payloadOf(progress, 'connector'))).toEqual(progress);
    expect(payloadOf(progress, 'connector')['waits']).toBe('connector');
  });
});
