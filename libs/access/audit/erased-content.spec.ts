import { describe, expect, it } from '@jest/globals';
import { wholeWords } from '#database';
import type { AuditRow } from './audit-row.js';
import { erasedContent } from './erased-content.js';

const ADA = '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a4';
const TOKEN = '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a5';
const THING = '0199c2a8-6b1e-7c11-8d2f-2b90ce5512a6';

const person = {
  userId: ADA,
  placeholder: '[erased]',
  acts: new Set([TOKEN, 'https://idp.example.com#42']),
  texts: wholeWords(['ada@example.com', 'Ada Lovelace', 'Ada']),
};

function rowOf(changes: Omit<Partial<AuditRow>, 'before' | 'after'> & { before?: object; after?: object }): AuditRow {
  const { before, after, ...rest } = changes;
  return {
    ...{ org_id: THING, seq: 7, id: THING, occurred_at: '2026-11-20T12:00:00.000000Z', actor_kind: 'token' },
    ...{ actor_id: THING, actor_name: 'Grace', actor_user_id: null, address: '192.0.2.1', request_id: 'r-1' },
    ...{ action: 'thing.changed', resource_type: 'thing', resource_id: THING },
    ...rest,
    before: before === undefined ? null : JSON.stringify(before),
    after: after === undefined ? null : JSON.stringify(after),
  };
}

const afterOf = (row: AuditRow): unknown => JSON.parse(erasedContent(row, person).after ?? 'null');

describe('the content of an audit row after an erasure', () => {
  it.each<[string, Partial<Pick<AuditRow, 'actor_id' | 'actor_user_id'>>, string]>([
    ['user', { actor_user_id: ADA.toUpperCase() }, THING],
    ['token', { actor_id: TOKEN }, TOKEN],
    ['account', { actor_id: 'https://idp.example.com#42' }, '[erased]'],
  ])('has no name, address or request id if the %s is the actor', (_what, actor, actor_id) => {
    const content = erasedContent(rowOf(actor), person);
    expect(content).toMatchObject({ actor_id, actor_name: '[erased]', address: null, request_id: null });
  });

  it('keeps another actor', () => {
    const content = erasedContent(rowOf({ after: { note: 'Ask Ada' } }), person);
    expect(content).toMatchObject({ actor_id: THING, actor_name: 'Grace', address: '192.0.2.1', request_id: 'r-1' });
  });

  it('keeps ids, numbers, times and enum values if the row is about the person', () => {
    const after = {
      ...{ name: 'ada', email: 'other@example.com', department: 'Sales', status: 'suspended', count: 3, ok: true },
      ...{ user_id: ADA, at: '2026-11-20T12:00:00.000Z', day: '2026-11-20', scopes: ['users:read', 'Free text'] },
      ...{
        attributes: { employee: 7 },
        departure_reason: 'resigned',
        nested: { url: 'https://a.example' },
        none: null,
      },
    };
    expect(afterOf(rowOf({ resource_id: ADA, after }))).toEqual({
      ...{ name: '[erased]', email: '[erased]', department: '[erased]', status: 'suspended', count: 3, ok: true },
      ...{ user_id: ADA, at: '2026-11-20T12:00:00.000Z', day: '2026-11-20', scopes: ['users:read', '[erased]'] },
      ...{ attributes: '[erased]', departure_reason: '[erased]', nested: { url: '[erased]' }, none: null },
    });
  });

  it('loses the content of a resource that belongs to the person, according to the user id in it or its own id', () => {
    expect(afterOf(rowOf({ after: { user_id: ADA, label: 'My laptop' } }))).toEqual({
      user_id: ADA,
      label: '[erased]',
    });
    expect(afterOf(rowOf({ resource_id: TOKEN, after: { label: 'My laptop' } }))).toEqual({ label: '[erased]' });
  });

  it('loses only whole names and addresses if the row is about another subject', () => {
    const after = {
      note: 'ADA@example.com, nada@example.com, ada@example.com.evil and Ada Lovelace, not Adam or Canada.',
      list: ['(Ada)', 'x-Ada'],
      'ada@example.com': 1,
      Ada: 2,
    };
    expect(afterOf(rowOf({ after }))).toEqual({
      note: '[erased], nada@example.com, ada@example.com.evil and [erased], not Adam or Canada.',
      list: ['([erased])', 'x-Ada'],
      '[erased]': 1,
      Ada: 2,
    });
  });

  it('keeps the digest of an earlier erasure', () => {
    const after = { rows: 1, digest: 'ab'.repeat(32) };
    expect(afterOf(rowOf({ action: 'audit_log.redacted', resource_id: ADA, after }))).toEqual(after);
  });

  it('does not change at a second erasure', () => {
    const row = rowOf({ resource_id: ADA, actor_user_id: ADA, before: { name: 'Ada' }, after: { name: 'Ada L.' } });
    const once = erasedContent(row, person);
    expect(erasedContent({ ...row, ...once }, person)).toEqual(once);
  });
});
