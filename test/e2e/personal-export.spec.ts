import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor, SCOPES, TokenService } from '#access';
import { PERSONAL_CHUNK } from '#database';
import { fillEveryTable } from '../support/fill-every-table.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';

/** Tables that an export leaves out although their rows mention the person. Each has its reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {};

interface Line {
  table: string;
  row: Record<string, unknown>;
}

let app: TestApp;
let orgId: string;
let call: Call;
let token: string;
let person: { id: string; email: string };

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['127.0.0.1'] } });
  ({ orgId, call, token } = await app.addOrganization());
  await fillEveryTable(app, orgId, call);
  const { items } = (await call('GET', '/v1/users?limit=100')).body;
  person = items.find(({ name }: { name: string }) => name === 'Somebody');
});

afterAll(() => app?.close());

async function textOf(id: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${app.url}/v1/users/${id}/export`, { method: 'POST', headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  return text;
}

async function linesOf(id: string): Promise<Line[]> {
  return (await textOf(id))
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
}

/** The tables in which a row of the organization contains one of the texts, also in binary columns. */
async function tablesWith(texts: readonly string[]): Promise<string[]> {
  const tables = await app.database.asOwner<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'governance' and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org_id')`,
    [],
  );
  const patterns = texts.flatMap(text => [text, Buffer.from(text).toString('hex')]);
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await app.database.asOwner(
      `select from governance.${name} t
       where org_id = $1 and exists (select from unnest($2::text[]) w where position(w in lower(t::text)) > 0) limit 1`,
      [orgId, patterns],
    );
    if (rows.length > 0) found.push(name);
  }
  return found.toSorted();
}

describe('the export of a person', () => {
  it('has rows of every table that mentions the id or the address', async () => {
    const before = await tablesWith([person.id, person.email]);
    const exported = new Set((await linesOf(person.id)).map(({ table }) => table));
    // Counts only tables that still mention the person, because background work may have changed rows.
    const after = new Set(await tablesWith([person.id, person.email]));
    const traces = before.filter(table => after.has(table));
    expect(traces.length).toBeGreaterThan(15);
    expect(traces.filter(table => !exported.has(table) && !Object.hasOwn(LEFT_OUT, table))).toEqual([]);
  });

  it('contains no secret and nothing of another person, and shows the encoded data of events as text', async () => {
    const email = `${randomUUID()}@people.example`;
    const other = (await call('POST', '/v1/users', { email, name: 'Other' })).body;
    const text = await textOf(person.id);
    expect(text).not.toContain(other.id);
    expect(text).not.toContain(email);
    expect(text).not.toMatch(/"[a-z_]*(hash|secret|ciphertext)":"/);
    const lines = await linesOf(person.id);
    expect(lines.find(({ table }) => table === 'events')?.row['body']).toMatchObject({ org_id: orgId });
    expect(lines.find(({ table }) => table === 'users')?.row).toMatchObject({ id: person.id, email: person.email });
    expect((await linesOf(other.id)).map(({ table }) => table)).toEqual(['audit_log', 'audit_log', 'users']);
  });

  it('has rows with a previous address, unless another user has it now', async () => {
    const [former, given] = [`${randomUUID()}@people.example`, `${randomUUID()}@people.example`];
    const { id } = (await call('POST', '/v1/users', { email: former, name: 'Renamed' })).body;
    await call('POST', '/v1/policies', { name: 'Former', action: 'alert', model: 'none', description: former });
    await call('PUT', `/v1/users/${id}`, { email: given });
    await call('PUT', `/v1/users/${id}`, { email: `${randomUUID()}@people.example` });
    await call('POST', '/v1/users', { email: given, name: 'Successor' });
    await call('POST', '/v1/policies', { name: 'Given', action: 'alert', model: 'none', description: given });
    const policies = (await linesOf(id)).filter(({ table }) => table === 'policies').map(({ row }) => row['name']);
    expect(policies).toEqual(['Former']);
  });

  it('continues if a table has more rows than one chunk', async () => {
    const times = PERSONAL_CHUNK * 2 + 1;
    const user = (await call('POST', '/v1/users', { email: `${randomUUID()}@people.example`, name: 'Busy' })).body;
    const about = { user_id: user.id, provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1 };
    const occurred_at = app.clock.now().toISOString();
    const events = Array.from({ length: times }, () => Object.assign({ id: randomUUID(), occurred_at }, about));
    for (let at = 0; at < times; at += 500) {
      await call('POST', '/v1/usage/events', { events: events.slice(at, at + 500) });
    }
    const rows = (await linesOf(user.id)).filter(({ table }) => table === 'usage_events');
    expect(new Set(rows.map(({ row }) => row['id'])).size).toBe(times);
    expect(rows).toHaveLength(times);
  });

  it('is audited, and needs every read scope', async () => {
    await linesOf(person.id);
    const [entry] = (await call('GET', '/v1/audit-log?limit=1')).body.items;
    expect(entry).toMatchObject({ action: 'user.exported', resource_id: person.id });
    const request = { name: 'Narrow', role: 'admin', scopes: SCOPES.filter(scope => scope !== 'audit:read') } as const;
    const { token: narrow } = await app.app.get(TokenService).issueFor(operatorActor(orgId), request);
    expect((await app.as(narrow)('POST', `/v1/users/${person.id}/export`)).status).toBe(403);
    const { call: stranger } = await app.addOrganization();
    expect((await stranger('POST', `/v1/users/${person.id}/export`)).status).toBe(404);
  });
});
