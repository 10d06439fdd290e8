import { describe, expect, it } from '@jest/globals';
import type { UserStatus } from '#core';
import { User, type SuspensionCause } from './user.entity.js';
import { UserTransitionError } from './user.errors.js';

const createdAt = new Date('2026-11-01T08:00:00Z');
const now = new Date('2026-11-20T12:00:00Z');
const later = new Date('2026-11-21T12:00:00Z');
const ada = { email: 'ada@example.com', name: 'Ada', department: null, role: 'member', attributes: {} };

function userWho(status: 'active' | 'inactive', ...causes: SuspensionCause[]): User {
  const user = User.create('o', 'u', ada, status, createdAt);
  for (const cause of causes) user.suspend(cause, createdAt);
  return user;
}

describe('the status of a user', () => {
  it.each<['active' | 'inactive', UserStatus]>([
    ['active', 'inactive'],
    ['inactive', 'active'],
  ])('goes from %s to %s by an update', (from, to) => {
    const user = userWho(from);
    expect(user.changeStatus(to, now)).toBe(true);
    expect(user).toMatchObject({ status: to, updatedAt: now });
  });

  it.each<'active' | 'inactive'>(['active', 'inactive'])('does not go from %s to suspended by an update', from => {
    const user = userWho(from);
    expect(() => user.changeStatus('suspended', now)).toThrow(UserTransitionError);
    expect(user).toMatchObject({ status: from, updatedAt: createdAt });
  });

  it.each<UserStatus>(['active', 'inactive'])('does not go from suspended to %s by an update', to => {
    const user = userWho('active', 'scim');
    expect(() => user.changeStatus(to, now)).toThrow('activate the user at the identity provider');
    expect(user.status).toBe('suspended');
  });

  it.each<UserStatus>(['active', 'inactive', 'suspended'])('stays %s without a change when written back', status => {
    const user = status === 'suspended' ? userWho('active', 'offboarding') : userWho(status);
    expect(user.changeStatus(status, now)).toBe(false);
    expect(user.updatedAt).toEqual(createdAt);
  });
});

describe('suspension', () => {
  it.each<'active' | 'inactive'>(['active', 'inactive'])('applies to %s users', from => {
    const user = userWho(from);
    user.suspend('offboarding', now);
    expect(user).toMatchObject({ status: 'suspended', suspendedAt: now, suspensionCauses: ['offboarding'] });
  });

  it('is refused twice for one cause', () => {
    expect(() => userWho('active', 'offboarding').suspend('offboarding', now)).toThrow(UserTransitionError);
  });

  it('ends with status active when its cause is lifted', () => {
    const user = userWho('inactive', 'offboarding');
    user.reinstate('offboarding', now);
    expect(user).toMatchObject({ status: 'active', suspendedAt: null, suspensionCauses: [], updatedAt: now });
  });

  it('by one cause cannot be lifted by another', () => {
    const user = userWho('active', 'scim');
    expect(() => user.reinstate('offboarding', now)).toThrow('suspended by scim, not by offboarding');
    expect(user.status).toBe('suspended');
  });

  it('by two causes begins with the first, and ends when both are lifted', () => {
    const user = userWho('active', 'offboarding');
    user.suspend('scim', now);
    expect(user.suspendedAt).toEqual(createdAt);
    user.reinstate('offboarding', now);
    expect(user).toMatchObject({ status: 'suspended', suspensionCauses: ['scim'] });
    user.reinstate('scim', later);
    expect(user.status).toBe('active');
  });

  it.each<'active' | 'inactive'>(['active', 'inactive'])('cannot be lifted from %s users', from => {
    expect(() => userWho(from).reinstate('offboarding', now)).toThrow(UserTransitionError);
  });
});

describe('a departure', () => {
  const ahead = { date: '2026-11-21', at: later, reason: 'End of contract' };

  it.each<'active' | 'inactive'>(['active', 'inactive'])('in the future does not change %s users until then', from => {
    const user = userWho(from);
    user.offboard(ahead, createdAt);
    expect(user).toMatchObject({ status: from, isLeaving: true, departureDate: '2026-11-21', departsAt: later });
    expect(user.leave(now)).toBe(false);
    expect(user).toMatchObject({ status: from, suspensionCauses: [] });
    expect(user.leave(later)).toBe(true);
    expect(user).toMatchObject({ status: 'suspended', suspensionCauses: ['offboarding'], suspendedAt: later });
    expect(user).toMatchObject({ isLeaving: false, departureDate: '2026-11-21', departureReason: 'End of contract' });
  });

  it.each([
    ['not dated', { date: null, at: null, reason: null }],
    ['in the past', { date: '2026-11-19', at: createdAt, reason: null }],
    ['due at this moment', { date: '2026-11-20T12:00:00Z', at: now, reason: null }],
  ])('that is %s suspends at once', (_what, departure) => {
    const user = userWho('active');
    user.offboard(departure, now);
    expect(user).toMatchObject({ status: 'suspended', suspendedAt: now, isLeaving: false });
  });

  it('takes effect once', () => {
    const user = userWho('active');
    user.offboard(ahead, createdAt);
    user.leave(later);
    expect(user.leave(later)).toBe(false);
    expect(() => user.offboard(ahead, later)).toThrow('to undo it, reinstate the user');
  });

  it('is replaced by the one that is planned next, also by an immediate one', () => {
    const user = userWho('active');
    user.offboard({ date: '2026-11-20', at: now, reason: null }, createdAt);
    user.offboard(ahead, createdAt);
    expect(user.leave(now)).toBe(false);
    user.offboard({ date: null, at: null, reason: null }, now);
    expect(user).toMatchObject({ status: 'suspended', departureDate: null, departsAt: null, departureReason: null });
  });

  it.each<[string, (user: User) => void]>([
    ['canceled', user => user.stay(now)],
    ['ended by a reinstatement', user => user.reinstate('offboarding', now)],
  ])('that is %s does not take effect', (_what, act) => {
    const user = userWho('inactive');
    user.offboard(ahead, createdAt);
    act(user);
    expect(user.leave(later)).toBe(false);
    expect(user).toMatchObject({ status: 'inactive', departureDate: null, departsAt: null, departureReason: null });
  });

  it('cannot be canceled if none is planned, or after it took effect', () => {
    const user = userWho('active');
    expect(() => user.stay(now)).toThrow('no planned offboarding to cancel');
    user.offboard({ date: null, at: null, reason: null }, now);
    expect(() => user.stay(now)).toThrow('The user is already offboarded; reinstate the user instead.');
  });

  it('of a user whom the identity provider has suspended is a separate cause, and is lifted separately', () => {
    const user = userWho('active', 'scim');
    user.offboard(ahead, createdAt);
    expect(user.leave(later)).toBe(true);
    expect(user).toMatchObject({ suspensionCauses: ['scim', 'offboarding'], suspendedAt: createdAt });
    user.reinstate('offboarding', later);
    expect(user).toMatchObject({ status: 'suspended', suspensionCauses: ['scim'], departureDate: null });
    user.offboard(ahead, createdAt);
    user.reinstate('offboarding', now);
    expect(user).toMatchObject({ status: 'suspended', suspensionCauses: ['scim'], isLeaving: false });
  });
});

describe('a change of the profile', () => {
  it('changes only the given fields', () => {
    const user = userWho('active');
    expect(user.change({ department: 'Finance' }, now)).toBe(true);
    expect(user.profile()).toEqual({ ...ada, department: 'Finance' });
    expect(user.updatedAt).toEqual(now);
  });

  it('without a difference keeps the time of change', () => {
    const user = userWho('active');
    user.change({ attributes: { a: 1, b: 2 } }, now);
    expect(user.change({ ...ada, attributes: { b: 2, a: 1 } }, later)).toBe(false);
    expect(user.updatedAt).toEqual(now);
  });

  it('keeps the given address without surrounding blanks, and compares it ignoring case', () => {
    const user = userWho('active');
    user.change({ email: ' Ada@Example.com ' }, now);
    expect(user).toMatchObject({ email: 'Ada@Example.com', emailKey: 'ada@example.com' });
  });
});
