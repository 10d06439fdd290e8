import { describe, expect, it } from '@jest/globals';
import { AuditChain, type ChainedRow } from './audit-chain.js';
import { type AuditRow, type Commitment, commitmentOf, GENESIS, hashOfRow } from './audit-row.js';

const SALT = Buffer.alloc(32, 5);
const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

function contentOf(seq: number): AuditRow {
  return {
    org_id: ORG,
    seq,
    id: `0199c2a8-5f10-7c3e-9a41-${String(seq).padStart(12, '0')}`,
    occurred_at: '2026-11-20T12:00:00.000000Z',
    actor_kind: 'cli',
    actor_id: 'operator',
    actor_name: 'operator',
    actor_user_id: null,
    address: null,
    request_id: null,
    action: seq === 1 ? 'organization.created' : 'thing.changed',
    resource_type: 'thing',
    resource_id: '1',
    before: null,
    after: `{"n":${seq}}`,
  };
}

function committed<Row extends AuditRow>(row: Row): Row & Commitment {
  return { ...row, salt: SALT, commitment: commitmentOf(SALT, row) };
}

function chainOf(length: number): ChainedRow[] {
  let prev_hash: Buffer = GENESIS;
  return Array.from({ length }, (_, index) => {
    const row = committed(contentOf(index + 1));
    const chained = { ...row, redaction: null, prev_hash, hash: hashOfRow(prev_hash, row) };
    prev_hash = chained.hash;
    return chained;
  });
}

/** Replaces the content of a row and recomputes its hash, as an attacker with all rights on the database could. */
function rewrite(row: ChainedRow, prev_hash = row.prev_hash): ChainedRow {
  const changed = { ...row, action: 'thing.kept', prev_hash };
  return { ...changed, hash: hashOfRow(prev_hash, changed) };
}

function check(rows: ChainedRow[], head = rows.at(-1), anchor?: { seq: number; hash: Buffer }) {
  const chain = new AuditChain(anchor);
  for (const row of rows) {
    const broken = chain.take(row);
    if (broken) return broken;
  }
  return chain.finish(head && { seq: head.seq, hash: head.hash });
}

describe('the chain of the audit log', () => {
  it('is valid from the first row to the head', () => {
    expect(check(chainOf(5))).toBeUndefined();
    expect(check(chainOf(1))).toBeUndefined();
  });

  it('is broken at row 1 if there is no row', () => {
    expect(check([])).toMatchObject({ seq: 1, reason: expect.stringContaining('row 1 is missing') });
  });

  it('is broken at row 1 if it does not begin with the creation of the organization', () => {
    const row = committed({ ...contentOf(2), seq: 1 });
    const first = { ...row, redaction: null, prev_hash: GENESIS, hash: hashOfRow(GENESIS, row) };
    expect(check([first])).toMatchObject({ seq: 1, reason: expect.stringContaining('begun anew') });
  });

  it('is valid if the expected row exists', () => {
    const rows = chainOf(5);
    for (const anchor of rows) expect(check(rows, rows[4], anchor)).toBeUndefined();
  });

  it('is broken at the expected row if this row has another hash', () => {
    const anchor = rewrite(chainOf(5)[2]!);
    expect(check(chainOf(5), undefined, anchor)).toMatchObject({
      seq: 3,
      reason: expect.stringContaining('another hash than expected'),
    });
  });

  it('is broken after the last row if the expected row comes later', () => {
    expect(check(chainOf(3), undefined, chainOf(5)[4])).toMatchObject({
      seq: 4,
      reason: expect.stringContaining('before the expected row 5'),
    });
  });

  it('is broken after a row that was rewritten together with its own hash', () => {
    const rows = chainOf(5);
    rows[2] = rewrite(rows[2]!);
    expect(check(rows)).toMatchObject({ seq: 4, reason: expect.stringContaining('does not follow row 3') });
  });

  it('is broken at the head if the last row was rewritten together with its own hash', () => {
    const rows = chainOf(5);
    const head = rows[4]!;
    rows[4] = rewrite(head);
    expect(check(rows, head)).toMatchObject({ seq: 5, reason: expect.stringContaining('head') });
  });

  it('is broken where a second chain begins', () => {
    const rows = chainOf(3);
    rows[1] = rewrite(rows[1]!, GENESIS);
    expect(check(rows)).toMatchObject({ seq: 2 });
  });

  it('is broken at a row of another organization', () => {
    const rows = chainOf(3);
    const foreign = { ...rows[1]!, org_id: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c61' };
    expect(check([rows[0]!, foreign, rows[2]!])).toMatchObject({ seq: 2, reason: expect.stringContaining('altered') });
  });

  it('is broken at a row with replaced content, even with another commitment', () => {
    const rows = chainOf(3);
    const changed = { ...rows[1]!, actor_name: 'somebody else' };
    for (const row of [changed, { ...changed, commitment: commitmentOf(SALT, changed) }]) {
      expect(check([rows[0]!, row, rows[2]!])).toMatchObject({ seq: 2, reason: expect.stringContaining('altered') });
    }
  });

  it('is valid if an erasure replaced the content and recorded the commitment of the new content', () => {
    const rows = chainOf(3);
    const changed = { ...rows[1]!, actor_name: '[erased]', salt: Buffer.alloc(32, 6) };
    rows[1] = { ...changed, redaction: commitmentOf(changed.salt, changed) };
    expect(check(rows)).toBeUndefined();
    rows[1] = { ...rows[1], actor_name: 'somebody else' };
    expect(check(rows)).toMatchObject({ seq: 2 });
  });

  it('includes every field in the hash', () => {
    const row = contentOf(1);
    const hashed = (each: AuditRow) => hashOfRow(GENESIS, committed(each)).toString('hex');
    const hashes = Object.keys(row).map(field => {
      const changed: AuditRow = { ...row, [field]: field === 'seq' ? 2 : 'changed' };
      return hashed(changed);
    });
    expect(new Set([...hashes, hashed(row)]).size).toBe(hashes.length + 1);
  });
});
