import { describe, expect, it } from '@jest/globals';
import type { UserStatus } from '#core';
import { User, type SuspensionCause } from './user.entity.js';
import { UserTransitionError } from './user.errors.js';

const born = new Date('2026-11-01T08:00:00Z');
const now = new Date('2026-11-20T12:00:00Z');
const later = new Date('2026-11-21T12:00:00Z');
const ada = { email: 'ada@example.com', name: 'Ada', department: null, role: 'member', attributes: {} };

function userWho(status: 'active' | 'inactive', ...causes: SuspensionCause[]): User {
  const user = User.create('o', 'u', ada, status, born);
  for (const cause of causes) user.suspend(cause, born);
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
    expect(user).toMatchObject({ status: from, updatedAt: born });
  });

  it.each<UserStatus>(['active', 'inactive'])('does not go from suspended to %s by an update', to => {
    const user = userWho('active', 'scim');
    expect(() => user.changeStatus(to, now)).toThrow('activate the user at the identity provider');
    expect(user.status).toBe('suspended');
  });

  it.each<UserStatus>(['active', 'inactive', 'suspended'])('stays %s without a change when written back', status => {
    const user = status === 'suspended' ? userWho('active', 'offboarding') : userWho(status);
    expect(user.changeStatus(status, now)).toBe(false);
    expect(user.updatedAt).toEqual(born);
  });
});

describe('suspension', () => {
  it.each<'active' | 'inactive'>(['active', 'inactive'])('takes %s users', from => {
    const user = userWho(from);
    user.suspend('offboarding', now);
    expect(user).toMatchObject({ status: 'suspended', suspendedAt: now, suspensionCauses: ['offboarding'] });
  });

  it('is refused twice for one cause', () => {
    expect(() => userWho('active', 'offboarding').suspend('offboarding', now)).toThrow(UserTransitionError);
  });

  it('ends in active when its cause is lifted', () => {
    const user = userWho('inactive', 'offboarding');
    user.reinstate('offboarding', now);
    expect(user).toMatchObject({ status: 'active', suspendedAt: null, suspensionCauses: [], updatedAt: now });
  });

  it('by one cause is not lifted by another', () => {
    const user = userWho('active', 'scim');
    expect(() => user.reinstate('offboarding', now)).toThrow('suspended by scim, not by offboarding');
    expect(user.status).toBe('suspended');
  });

  it('by two causes ends when both are lifted, and began with the first', () => {
    const user = userWho('active', 'offboarding');
    user.suspend('scim', now);
    expect(user.suspendedAt).toEqual(born);
    user.reinstate('offboarding', now);
    expect(user).toMatchObject({ status: 'suspended', suspensionCauses: ['scim'] });
    user.reinstate('scim', later);
    expect(user.status).toBe('active');
  });

  it.each<'active' | 'inactive'>(['active', 'inactive'])('cannot be lifted from %s users', from => {
    expect(() => userWho(from).reinstate('offboarding', now)).toThrow(UserTransitionError);
  });
});

describe('a change of the profile', () => {
  it('touches only what is supplied', () => {
    const user = userWho('active');
    expect(user.change({ department: 'Finance' }, now)).toBe(true);
    expect(user.profile()).toEqual({ ...ada, department: 'Finance' });
    expect(user.updatedAt).toEqual(now);
  });

  it('that changes nothing leaves the time of change alone', () => {
    const user = userWho('active');
    user.change({ attributes: { a: 1, b: 2 } }, now);
    expect(user.change({ ...ada, attributes: { b: 2, a: 1 } }, later)).toBe(false);
    expect(user.updatedAt).toEqual(now);
  });

  it('keeps the address as given, without blanks around it, and compares it without case', () => {
    const user = userWho('active');
    user.change({ email: ' Ada@Example.com ' }, now);
    expect(user).toMatchObject({ email: 'Ada@Example.com', emailKey: 'ada@example.com' });
  });
});
