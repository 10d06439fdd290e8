import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-postgres.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { operatorActor } from '../principals/operator-actor.js';
import { startAccessReplica } from '../testing/access-replica.js';
import { TokenService } from '../tokens/token.service.js';
import { AuditLog } from './audit-log.port.js';

describe('the audit log over HTTP', () => {
  const clock = new ManualClock('2026-11-20T12:00:00.123Z');
  let database: TestDatabase;
  let replica: Awaited<ReturnType<typeof startAccessReplica>>;
  let orgId: string;
  let token: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await startAccessReplica(database, { clock });
  });

  afterAll(async () => {
    await replica.close();
    await database.drop();
  });

  /** Row 1 records the creation of the organization, and row 2 the creation of the token. */
  beforeEach(async () => {
    orgId = (await replica.app.get(OrganizationService).create('Audited')).id;
    ({ token } = await replica.app.get(TokenService).issue(orgId, { name: 'auditor', role: 'auditor' }));
  });

  async function appendMany(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const change = { action: 'thing.changed', resourceType: 'thing', resourceId: `${n}`, before: null, after: { n } };
      await replica.database.transaction(orgId, em =>
        replica.app.get(AuditLog).append(em, operatorActor(orgId, 'operator'), change),
      );
    }
  }

  async function list(query: string) {
    const response = await fetch(`${replica.url}/v1/audit-log${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    // oxlint-disable-next-line typescript/no-explicit-any -- bodies are read deep by the expectations, which are the check
    return { status: response.status, body: (await response.json()) as any };
  }

  it('shows who changed what, newest first, page by page', async () => {
    await appendMany(5);
    const seqs: number[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list(`?limit=3${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(body.total_count).toBe(7);
      seqs.push(...body.items.map((each: { seq: number }) => each.seq));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seqs).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect((await list('?limit=1')).body.items[0]).toEqual({
      id: expect.any(String),
      seq: 7,
      occurred_at: '2026-11-20T12:00:00.123Z',
      actor_kind: 'cli',
      actor_id: 'operator',
      actor_name: 'operator',
      actor_user_id: null,
      address: null,
      request_id: null,
      action: 'thing.changed',
      resource_type: 'thing',
      resource_id: '4',
      before: null,
      after: { n: 4 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it.each([
    ['?action=thing.changed', [4, 3]],
    ['?action=thing', []],
    ['?q=HING', [4, 3]],
    ['?q=%25', []],
    ['?q=g%20CHANGED', [4, 3]],
    ['?q=g.changed', [4, 3]],
    ['?q=Operat', [4, 3, 2, 1]],
    ['?q=Operat&resource_type=thing', [4, 3]],
    ['?resource_type=token', [2]],
    ['?resource_type=thing&resource_id=1', [4]],
    ['?actor_id=nobody', []],
    ['?since=2026-11-20T12:00:00.123Z', [4, 3, 2, 1]],
    ['?since=2026-11-20T12:00:00.124Z', []],
    ['?until=2026-11-20T12:00:00.123Z', []],
    ['?until=2026-11-20T13:00:00.124%2B01:00', [4, 3, 2, 1]],
  ])('filters by %s', async (query, seqs) => {
    await appendMany(2);
    const { body } = await list(query);
    expect(body.items.map((each: { seq: number }) => each.seq)).toEqual(seqs);
    expect(body.total_count).toBe(seqs.length);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=2.0', 'limit'],
    ['?limit=', 'limit'],
    ['?limit=1&limit=2', 'limit'],
    ['?since=yesterday', 'since'],
    ['?since=2026-02-30T00:00:00Z', 'since'],
    ['?since=2026-11-20T12:00:00Z&until=2026-11-20T12:00:00Z', 'until'],
    ['?actor=x', 'actor'],
    ['?cursor=abc', 'cursor'],
    ['?action=%00', 'action'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await list(query);
    expect([status, body.error, body.details?.[0]?.field]).toEqual([400, 'bad_request', field]);
  });

  it('refuses a cursor made with other filters', async () => {
    await appendMany(2);
    const { body } = await list('?limit=1&action=thing.changed');
    const other = await list(`?limit=1&cursor=${encodeURIComponent(body.next_cursor)}`);
    expect([other.status, other.body.message]).toEqual([400, expect.stringContaining('other filters')]);
  });
});
