import { describe, expect, it } from '@jest/globals';
import { APPROVAL_STATUSES, type ApprovalStatus } from './approval-status.js';
import { Approval } from './approval.entity.js';
import { ApprovalDecidedError, NoGrantError } from './approval.errors.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const BEFORE = new Date(NOW.getTime() - 1);
const LATER = new Date(NOW.getTime() + 1);
const grace = { kind: 'token', id: 't', name: 'Grace', user_id: null };

function approval(status: ApprovalStatus, expiresAt = LATER): Approval {
  return Object.assign(new Approval(), { status, expiresAt, decidedAt: null, decidedBy: null, reason: null });
}

const outcome = (act: () => void): unknown => {
  try {
    act();
    return 'done';
  } catch (error) {
    return error;
  }
};

describe('an approval', () => {
  it('is expired from its end on, whatever its stored status', () => {
    const at = (status: ApprovalStatus, end: Date) => approval(status, end).statusAt(NOW);
    expect(APPROVAL_STATUSES.map(status => at(status, LATER))).toEqual(APPROVAL_STATUSES);
    for (const end of [NOW, BEFORE]) {
      expect(APPROVAL_STATUSES.map(status => at(status, end))).toEqual([
        'expired',
        'expired',
        'denied',
        'expired',
        'revoked',
      ]);
    }
  });

  it('can be decided only while it is pending', () => {
    const allowed = APPROVAL_STATUSES.flatMap(status => [approval(status), approval(status, NOW)]).filter(
      one =>
        outcome(() => one.approve(grace, LATER, null, NOW)) === 'done' ||
        outcome(() => one.deny(grace, null, NOW)) === 'done',
    );
    expect(allowed).toHaveLength(1);
    expect(outcome(() => approval('approved').deny(grace, null, NOW))).toBeInstanceOf(ApprovalDecidedError);
  });

  it('can be revoked only while it is granted', () => {
    const all = APPROVAL_STATUSES.flatMap(status => [approval(status), approval(status, NOW)]);
    const revoked = all.filter(one => outcome(() => one.revoke(grace, null, NOW)) === 'done');
    expect(revoked).toHaveLength(1);
    expect(outcome(() => approval('approved', NOW).revoke(grace, null, NOW))).toBeInstanceOf(NoGrantError);
  });

  it('stores the last decision with its author, time and reason', () => {
    const one = approval('pending');
    const end = new Date(NOW.getTime() + 5);
    one.approve(grace, end, 'for a week', NOW);
    expect(one).toMatchObject({ status: 'approved', decidedBy: grace, decidedAt: NOW, reason: 'for a week' });
    expect(one.expiresAt).toBe(end);
    one.revoke({ ...grace, name: 'Bob' }, null, LATER);
    expect(one).toMatchObject({ status: 'revoked', decidedBy: { name: 'Bob' }, decidedAt: LATER, reason: null });
  });
});
