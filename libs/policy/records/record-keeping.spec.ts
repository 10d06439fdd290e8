import { describe, expect, it } from '@jest/globals';
import { Clock, newId } from '#core';
import type { Decision } from './decision.js';
import { RecordKeeping } from './record-keeping.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const DAY_MS = 86_400_000;

class StillClock extends Clock {
  now(): Date {
    return NOW;
  }
}

const keeping = (options: { retentionDays?: number; sampleAllowed?: number } = {}) =>
  new RecordKeeping(options, new StillClock());

const idOf = (at: Date, last: string) => `${newId(at).slice(0, 24)}${last}`;
const FIRST = '000000000000';
const LAST = 'ffffffffffff';

function decision(fields: Partial<Decision> = {}): Decision {
  return {
    id: newId(NOW),
    action: 'allow',
    allowed: true,
    reason: 'no_policy_matched',
    policies: [],
    evaluated_at: NOW.toISOString(),
    ...fields,
  };
}

describe('the recorded share of decisions', () => {
  it.each([decision(), decision({ reason: 'policy' })])('is that of the option for $action by $reason', allowed => {
    expect(keeping({ sampleAllowed: 0.2 }).rateOf(allowed)).toBe(0.2);
    expect(keeping({ sampleAllowed: 0 }).rateOf(allowed)).toBe(0);
    expect(keeping().rateOf(allowed)).toBe(1);
  });

  it.each([
    decision({ action: 'block', allowed: false, reason: 'policy' }),
    decision({ action: 'alert', reason: 'policy' }),
    decision({ action: 'alert' }),
    decision({ action: 'require_approval', allowed: false, reason: 'policy' }),
    decision({ action: 'block', allowed: false, reason: 'user_suspended' }),
    decision({ action: 'block', allowed: false, reason: 'user_inactive' }),
    decision({ action: 'block', allowed: false, reason: 'unknown_user' }),
    decision({ action: 'block', allowed: false, reason: 'budget_exceeded' }),
    decision({ reason: 'approval_granted' }),
    decision({ reservation: { id: 'r', amount_usd: 0, expires_at: NOW.toISOString() } }),
  ])('is 1 for $action by $reason, with or without a reservation', other => {
    expect(keeping({ sampleAllowed: 0 }).rateOf(other)).toBe(1);
  });
});

describe('the reason for a missing record', () => {
  it('is given if the id is too old, or may not have been recorded', () => {
    const sampled = keeping({ sampleAllowed: 0.5, retentionDays: 7 });
    const old = new Date(NOW.getTime() - 8 * DAY_MS);
    expect(sampled.whyMissing(idOf(old, FIRST))).toBe(' Records are kept for 7 days.');
    expect(sampled.whyMissing(idOf(NOW, LAST))).toContain('the recorded share is 0.5');
  });

  it('is not given if it would have been recorded, or if the id is not a decision’s', () => {
    const sampled = keeping({ sampleAllowed: 0.5 });
    expect(sampled.whyMissing(idOf(NOW, FIRST))).toBe('');
    expect(sampled.whyMissing('00000000-0000-4000-8000-ffffffffffff')).toBe('');
    expect(keeping().whyMissing(idOf(NOW, LAST))).toBe('');
  });
});
