import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillEveryTable } from '../support/fill-every-table.js';
import { putSession } from '../support/put-session.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { fireEvents } from '../support/webhooks.js';
import { ErasureStage, succeed } from './user-erasure.support.js';

let app: TestApp;
let orgId: string;
let call: Call;
let stage: ErasureStage;

beforeAll(async () => {
  app = await startTestApp({ egress: { allow: ['127.0.0.1'] } });
  ({ orgId, call } = await app.addOrganization());
  stage = new ErasureStage(app, orgId, call);
});

afterAll(() => app?.close());

describe('the erasure of a user who is in every table', () => {
  const former = `former-${randomUUID()}@people.example`;
  const name = `Ada ${randomUUID()}`;
  const employee = `E-${randomUUID()}`;
  const texts: string[] = [former, name, employee, 'U0FILL'];
  let person: { id: string; email: string };
  let token: string;

  const figures = async () => {
    const days = 'start_date=2026-01-01&end_date=2027-12-31';
    const paths = [
      `/v1/usage?${days}`,
      `/v1/usage/breakdown?${days}&group_by=user`,
      `/v1/usage/breakdown?${days}&group_by=model`,
      '/v1/budgets',
    ];
    const bodies = [];
    for (const path of paths) bodies.push((await succeed(call('GET', path))).body);
    return bodies.map(withoutNames);
  };
  const counts = () =>
    app.database.asOwner(
      `select (select count(*)::int from governance.decisions where org_id = $1 and user_id = $2::text) as decisions,
         (select count(*)::int from governance.approvals where org_id = $1 and user_id = $2::text) as approvals,
         (select count(*)::int from governance.incidents where org_id = $1 and user_id = $2::text) as incidents,
         (select count(*)::int from governance.usage_events where org_id = $1 and user_id = $2::uuid) as usage,
         (select count(*)::int from governance.tickets where org_id = $1) as tickets,
         (select sum(spent_usd)::text from governance.budget_windows where org_id = $1) as spent`,
      [orgId, person.id],
    );

  beforeAll(async () => {
    await fillEveryTable(app, orgId, call);
    const { items } = (await call('GET', '/v1/users?limit=100')).body;
    person = items.find((user: { name: string }) => user.name === 'Somebody');
    const { id, email } = person;
    texts.push(email);
    // Gives the user another address and name first, so that former ones exist.
    const described = { name, attributes: { employee } };
    await succeed(call('PUT', `/v1/users/${id}`, { ...described, email: former }));
    const asked = { user_email: former, provider: 'openai', model: 'gpt-4o', idempotency_key: randomUUID() };
    await succeed(call('POST', '/v1/decisions', asked));
    await succeed(call('PUT', `/v1/users/${id}`, { email }));
    // The user performs some actions.
    token = await stage.tokenOf(id, `Laptop of ${name}`);
    const as = app.as(token);
    const policy = { name: `By ${email}`, action: 'alert', model: 'none', description: `Ask ${email} (${name})` };
    await succeed(as('POST', '/v1/policies', policy));
    const incidents = (await succeed(as('GET', '/v1/incidents'))).body.items;
    for (const incident of incidents) {
      await succeed(as('PATCH', `/v1/incidents/${incident.id}`, { status: 'acknowledged', note: `I, ${name}` }));
    }
    const approvals = (await succeed(as('GET', '/v1/approvals'))).body.items;
    await succeed(call('POST', `/v1/approvals/${approvals[0].id}/approve`, { reason: `For ${name}` }));
    const anomalies = (await succeed(as('GET', '/v1/anomalies'))).body.items;
    await succeed(
      as('POST', `/v1/anomalies/${anomalies[0].id}/feedback`, { feedback: 'expected', note: `${name} on call` }),
    );
    await putSession(app, orgId, id);
    // Programs report usage of the user.
    const event = { user_id: id, provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1 };
    const labels = { metadata: { who: email }, tags: { owner: email }, project: former };
    const occurred_at = app.clock.now().toISOString();
    await succeed(
      call('POST', '/v1/usage/events', { events: [{ ...event, ...labels, id: randomUUID(), occurred_at }] }),
    );
    // A platform reports a note that the user wrote in the ticket of an incident.
    await app.database.asOwner(
      `update governance.tickets set incident_id = $2 where org_id = $1 and external_ticket_id = 'FILL-1'`,
      [orgId, incidents[0].id],
    );
    const report = { external_ticket_id: 'FILL-1', status: 'resolved', updated_by: email, notes: `${name} called.` };
    await succeed(call('POST', `/v1/integrations/itsm/webhook/${orgId}`, report));
    await app.database.asOwner(
      `update governance.tickets set draft = draft || jsonb_build_object('asked', $2::text), notes = $2, told = '{}'
       where org_id = $1`,
      [orgId, `Write to ${email} or ${name}`],
    );
    await app.database.asOwner(
      `update governance.webhook_attempts set response_body = convert_to($2, 'UTF8') where org_id = $1`,
      [orgId, `{"got": "${email}"}`],
    );
    await fireEvents(app, orgId);
    const devices = (await succeed(call('GET', '/v1/devices'))).body.items;
    texts.push(devices[0].fingerprint_sha256);
  });

  it('leaves no address, name or number in any column of any table, and does not change any figure', async () => {
    const before = await stage.placesOf(texts);
    expect(new Set(before.map(place => place.split('.')[0])).size).toBeGreaterThan(15);
    expect(await stage.value(REPORTED, [orgId])).toEqual(
      expect.objectContaining({ updated_by: person.email, note: `${name} called.` }),
    );
    const [figuresBefore, countsBefore] = [await figures(), await counts()];
    const head = await stage.verify();

    const { status, body } = await stage.erase(person.id);

    expect([status, body]).toEqual([200, { id: person.id, erased_at: expect.any(String), rows: expect.any(Object) }]);
    expect(body.rows).toMatchObject({ users: 1, decisions: expect.any(Number), audit_log: expect.any(Number) });
    expect(await stage.placesOf(texts)).toEqual([]);
    expect(await stage.value(REPORTED, [orgId])).toMatchObject({ external_ticket_id: 'FILL-1', status: 'resolved' });
    expect(await figures()).toEqual(figuresBefore);
    expect(await counts()).toEqual(countsBefore);
    expect(await stage.verify()).toMatchObject({ ok: true, reason: null });
    // A chain head that was noted before the erasure is still in the log.
    expect(await stage.verify(`${head.head?.seq}:${head.head?.hash}`)).toMatchObject({ ok: true });
  });

  it('ends access at once, and the user cannot be reinstated', async () => {
    expect((await app.as(token)('GET', '/v1/policies')).status).toBe(401);
    const asked = { user_id: person.id, provider: 'openai', model: 'gpt-4o' };
    const { body: decision } = await call('POST', '/v1/decisions', asked);
    expect(decision.allowed).toBe(false);
    const { body: user } = await call('GET', `/v1/users/${person.id}`);
    expect(user).toMatchObject({ name: 'Erased user', status: 'suspended', attributes: {}, department: null });
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/reinstate'],
      ['POST', '/offboard'],
    ] as const) {
      const body = method === 'PUT' ? { name: 'Back' } : {};
      const answer = await call(method, `/v1/users/${person.id}${path}`, body);
      expect([answer.status, answer.body.message]).toEqual([409, 'This user was erased. Create a new user instead.']);
    }
    const again = await stage.addUser('Somebody else', person.email);
    expect(again.id).not.toBe(person.id);
    expect((await succeed(stage.erase(again.id))).status).toBe(200);
  });

  it("is in the audit log without the user's data, and changes nothing when it is repeated", async () => {
    const { items } = (await call('GET', `/v1/audit-log?action=user.erased&resource_id=${person.id}`)).body;
    expect(items).toEqual([expect.objectContaining({ before: null, after: expect.any(Object) })]);
    // Erases once more first, because the previous test has requested a decision about the user after the erasure.
    await succeed(stage.erase(person.id));
    const rows = () =>
      stage.value('select count(*)::int as value from governance.audit_log where org_id = $1', [orgId]);
    const before = await rows();
    const { status, body } = await stage.erase(person.id);
    expect([status, body.rows]).toEqual([200, {}]);
    expect(await rows()).toBe(before);
  });

  it('removes further texts that a later request names', async () => {
    const maiden = `Byron ${randomUUID()}`;
    await app.database.asOwner(
      `update governance.incident_entries set data = jsonb_build_object('note', $3::text, 'user', $2::text)
       where org_id = $1 and data::text like '%erased%'`,
      [orgId, person.id, `Was ${maiden}.`],
    );
    expect(await stage.placesOf([maiden])).toEqual(['incident_entries.data']);
    await succeed(stage.erase(person.id, { also: [maiden] }));
    expect(await stage.placesOf([maiden])).toEqual([]);
  });
});

describe('the erasure of a user whom an identity provider has provisioned', () => {
  it('removes all data of the provider, and hides the user from it', async () => {
    const urn = 'urn:ietf:params:scim:schemas:core:2.0';
    const userName = `${randomUUID()}@people.example`;
    const said = {
      userName,
      externalId: `00u${randomUUID()}`,
      displayName: `Grace ${randomUUID()}`,
      name: { formatted: `Grace B. ${randomUUID()}` },
      emails: [{ value: userName, primary: true }, { value: `second-${userName}` }],
      phoneNumbers: [{ value: `+1 555 ${randomUUID()}` }],
    };
    const made = await succeed(call('POST', '/scim/v2/Users', { schemas: [`${urn}:User`], ...said }));
    const group = { schemas: [`${urn}:Group`], displayName: randomUUID(), members: [{ value: made.body.id }] };
    const { id: groupId } = (await succeed(call('POST', '/scim/v2/Groups', group))).body;
    const texts = [
      ...[userName, said.externalId, said.displayName, said.name.formatted, said.phoneNumbers[0]?.value ?? ''],
      `second-${userName}`,
    ];
    expect((await stage.placesOf(texts)).length).toBeGreaterThan(5);

    await succeed(stage.erase(made.body.id));

    expect(await stage.placesOf(texts)).toEqual([]);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { schemas: [`${urn}:User`], ...said } : undefined;
      expect((await call(method, `/scim/v2/Users/${made.body.id}`, body)).status).toBe(404);
    }
    expect((await call('GET', `/scim/v2/Groups/${groupId}`)).body.members ?? []).toEqual([]);
    const again = await succeed(call('POST', '/scim/v2/Users', { schemas: [`${urn}:User`], ...said }));
    expect(again.body.id).not.toBe(made.body.id);
    expect(await stage.verify()).toMatchObject({ ok: true });
  });
});

/** Selects the incident entry that a platform's report about the ticket created. */
const REPORTED = `select data as value from governance.incident_entries where org_id = $1 and data ->> 'change' = 'reported'`;

/** Replaces names and addresses with null, because reports use the current name of the user. */
function withoutNames(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, each) => (/^(label|labels|email|name|user_email|user_name)$/.test(key) ? null : each)),
  );
}
