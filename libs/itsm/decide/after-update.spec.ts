import { describe, expect, it } from '@jest/globals';
import { afterUpdate, CHANGE_DELAYS_MS } from './after-update.js';
import type { BegunChange } from './next-change.js';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const at = (milliseconds: number): Date => new Date(START + milliseconds);

describe('the step after an outcome', () => {
  const begun = (more: Partial<BegunChange> = {}): BegunChange => ({
    ...{ kind: 'comment', key: 'k', occurrences: 5, severity: 'high', sends: 1, ...more },
  });

  it('starts again if nothing was changed, and repeats if an earlier attempt may have arrived', () => {
    const silent = { kind: 'retryable', message: 'm' } as const;
    expect(afterUpdate(begun(), silent, 0, at(0))).toMatchObject({ begun: null, isOver: false });
    expect(afterUpdate(begun({ sends: 2 }), silent, 0, at(0))).toMatchObject({ begun: { key: 'k', sends: 1 } });
  });

  it('waits as long as the platform asks, at most an hour', () => {
    const asked = (retryAfterMs: number) =>
      afterUpdate(begun(), { kind: 'retryable', message: 'm', retryAfterMs }, 0, at(0));
    expect(asked(90_000)).toMatchObject({ againAfterMs: 90_000, quietMs: 90_000 });
    expect(asked(90_000_000)).toMatchObject({ againAfterMs: 3_600_000, quietMs: 3_600_000 });
  });

  it('gives up only a comment, after three unknown outcomes', () => {
    const doubt = { kind: 'uncertain', message: 'm' } as const;
    expect(afterUpdate(begun({ sends: 2 }), doubt, 1, at(0)).isOver).toBe(false);
    expect(afterUpdate(begun({ sends: 3 }), doubt, 2, at(0))).toMatchObject({ isOver: true, told: { occurrences: 5 } });
    expect(afterUpdate(begun({ kind: 'resolve', sends: 30 }), doubt, 29, at(0)).isOver).toBe(false);
  });

  it('keeps a change that is refused because of the credentials, and ends one that is refused because of its content', () => {
    const refused = (code: 'auth' | 'field', kind: BegunChange['kind'] = 'resolve') =>
      afterUpdate(begun({ kind }), { kind: 'refused', code, message: 'm' }, 0, at(0));
    expect(refused('auth')).toMatchObject({ isOver: false, refusesAll: true, begun: null });
    expect(refused('field')).toMatchObject({ isOver: true, told: { resolved: true }, error: 'm' });
    expect(refused('field', 'reopen').told.ended).toBe('declined');
  });

  it('records no occurrence as reported if the ticket is not reopened', () => {
    const outcome = { kind: 'refused', code: 'declined', message: 'm' } as const;
    expect(afterUpdate(begun({ kind: 'reopen' }), outcome, 0, at(0)).told).toEqual({ ended: 'declined' });
  });

  it('sends nothing to a hidden ticket, stores since when it is hidden, and forgets this once it is shown', () => {
    const gone = { kind: 'gone', message: 'm' } as const;
    const hidden = { since: at(0).toISOString(), at: at(0).toISOString() };
    expect(afterUpdate(begun(), gone, 0, at(0))).toMatchObject({ told: { hidden }, error: 'm', isOver: true });
    const later = afterUpdate(begun(), gone, 0, at(5), hidden);
    expect(later).toMatchObject({ told: { hidden: { ...hidden, at: at(5).toISOString() } }, isStillHidden: true });
    expect(afterUpdate(begun(), { kind: 'updated' }, 0, at(9), hidden).told).toMatchObject({ hidden: null });
    expect(afterUpdate(begun(), { kind: 'uncertain', message: 'm' }, 0, at(9), hidden).told).toEqual({});
  });

  it('waits longer from attempt to attempt, up to an hour', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50].map(
      tries => afterUpdate(begun(), { kind: 'uncertain', message: 'm' }, tries, at(0)).againAfterMs,
    );
    expect(waits).toEqual([...CHANGE_DELAYS_MS, CHANGE_DELAYS_MS.at(-1)]);
  });
});
