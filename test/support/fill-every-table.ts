import { randomUUID } from 'node:crypto';
import { AuditRedactor, IdentityLinks, operatorActor } from '#access';
import { DetectionJob } from '#anomalies';
import { GovernedCalls } from '#calls';
import { OrgDatabase } from '#database';
import { LimitUpkeep, OpenRequests } from '#usage';
import { enroll } from '../e2e/devices/devices.support.js';
import { putConnector, putTask, putTicket } from './itsm/ledger.js';
import { SlackWorkspace } from './itsm/slack.js';
import { putAnomaly } from './put-anomaly.js';
import { putSession } from './put-session.js';
import type { Call, TestApp } from './test-app.js';
import { fireEvents, registerWebhook, until } from './webhooks.js';

/** No process listens at this address. An attempt fails at once, and its delivery waits for the next attempt. */
const CLOSED = 'https://127.0.0.1:9/';

/**
 * Puts at least one row of the organization into every table with data of organizations. The app must be allowed to
 * call loopback.
 */
export async function fillEveryTable(app: TestApp, orgId: string, call: Call): Promise<void> {
  const email = `${randomUUID()}@people.example`;
  const expectStatus = async (status: number, answer: ReturnType<Call>): Promise<void> => {
    const { status: actual, text } = await answer;
    if (actual !== status) throw new Error(`${orgId}: expected ${status}, got ${actual}: ${text}`);
  };
  const user = await call('POST', '/v1/users', { email, name: 'Somebody', department: 'Sales' });
  await expectStatus(201, Promise.resolve(user));
  await expectStatus(201, enroll(app, user.body.id, { call }));
  await expectStatus(201, call('POST', '/v1/policies', { name: 'Watch', action: 'alert' }));
  await eraseFromLog(app, orgId);
  await expectStatus(
    200,
    call('PUT', '/v1/prices', {
      provider: 'acme',
      model: 'acme-1',
      input_per_million_usd: 1,
      output_per_million_usd: 2,
    }),
  );
  const rate = { currency: 'EUR', date: '2026-11-01', rate: '0.9' };
  await expectStatus(200, call('PUT', '/v1/exchange-rates', rate));
  await expectStatus(200, call('PUT', '/v1/discounts', { model: 'acme-2', percent_off: 10 }));
  await expectStatus(
    201,
    call('POST', '/v1/budgets', {
      name: 'Everything',
      scope: 'organization',
      amount_usd: 1000,
      period: 'monthly',
      enforcement: 'block',
    }),
  );
  const each = { name: 'Each', scope: 'organization', split_by: 'user', amount_usd: 1, period: 'daily' };
  const split = await call('POST', '/v1/budgets', { ...each, enforcement: 'notify' });
  // The amount is so low that the usage below exceeds it and causes an alert.
  const own = { part: user.body.id, amount_usd: 0.0001 };
  await expectStatus(200, call('PUT', `/v1/budgets/${split.body.id}/overrides`, own));
  const limit = { name: 'Each', scope: 'organization', requests_per_minute: 1000, concurrent_requests: 100 };
  await expectStatus(201, call('POST', '/v1/limits', limit));
  await app.database.asOwner(
    `insert into governance.focus_exports (org_id, day, digest, written_at) values ($1, '2026-11-01', 1, now())`,
    [orgId],
  );
  app.app.get(OpenRequests, { strict: false }).passOn(orgId, randomUUID());
  await app.app.get(LimitUpkeep, { strict: false }).run();
  await expectStatus(201, connectDesk(call));
  const provider = { kind: 'openai', base_url: 'https://127.0.0.1:9', secrets: { api_key: 'key' } };
  await expectStatus(200, call('PUT', '/v1/gateway/providers/openai', provider));
  const asked = { user_email: email, provider: 'openai', model: 'gpt-4o', idempotency_key: randomUUID() };
  await expectStatus(200, call('POST', '/v1/decisions', asked));
  await expectStatus(
    200,
    call('POST', '/v1/usage/events', {
      events: [
        {
          id: randomUUID(),
          user_email: email,
          provider: 'openai',
          model: 'gpt-4o',
          occurred_at: app.clock.now().toISOString(),
          input_tokens: 100,
          output_tokens: 10,
        },
      ],
    }),
  );
  await expectStatus(
    201,
    call('POST', '/v1/policies', { name: 'Ask first', action: 'require_approval', model: 'ask-first' }),
  );
  await expectStatus(200, call('POST', '/v1/decisions', { user_email: email, provider: 'openai', model: 'ask-first' }));
  const open = { user_email: email, provider: 'openai', model: 'gpt-4o' };
  await (await app.app.get(GovernedCalls, { strict: false }).open(orgId, open)).cover(1);
  await provision(call);
  await adjustUsage(app, call, email);
  await untilDecisionIsRecorded(app, orgId);
  await attemptDelivery(app, orgId, call);
  await reportTickets(app, orgId, call);
  await takeCommand(app, orgId, call, user.body.id);
  await linkIdentity(app, orgId, user.body.id);
  await expectStatus(200, call('PUT', '/v1/anomalies/settings', { sensitivity: 'high' }));
  await app.app.get(DetectionJob, { strict: false }).detect();
  await putAnomaly(app, orgId, user.body.id);
  await putSession(app, orgId);
  await putStream(app, orgId);
  await call('POST', '/v1/sessions/links', {});
}

/** A position of a SIEM stream, and a record that waits to be sent. */
async function putStream(app: TestApp, orgId: string): Promise<void> {
  const record = `insert into governance.siem_records (org_id, id, kind, at, data) values ($1, $2, 'security', now(), '{}')`;
  await app.database.asOwner(record, [orgId, randomUUID()]);
  const position = `insert into governance.siem_streams (org_id, stream, touched_at) values ($1, 'fill', now())`;
  await app.database.asOwner(position, [orgId]);
}

/** Erases a user, so that the audit log has a row without the user's data. */
async function eraseFromLog(app: TestApp, orgId: string): Promise<void> {
  const person = { orgId, userId: randomUUID(), emails: [], names: ['Watch'] };
  const redactor = app.app.get(AuditRedactor, { strict: false });
  const rows = await redactor.redact(operatorActor(orgId), person, "t.resource_type = 'policy'");
  if (rows === 0) throw new Error('no row was erased');
}

/** A ticket with a report, and a report whose ticket does not exist yet. */
async function reportTickets(app: TestApp, orgId: string, call: Call): Promise<void> {
  await call('PUT', '/v1/itsm/inbound', { allowed_networks: ['127.0.0.0/8'] });
  const connectorId = await putConnector(app, orgId, { active: false });
  await putTicket(app, orgId, { connectorId, externalTicketId: 'FILL-1' });
  const underWay = await putTicket(app, orgId, { connectorId });
  await putTask(app, orgId, { id: underWay, connectorId }, { isLeased: true });
  for (const external_ticket_id of ['FILL-1', 'FILL-2']) {
    const report = { external_ticket_id, status: 'closed', event_id: randomUUID() };
    const { status, text } = await app.as(null)('POST', `/v1/integrations/itsm/webhook/${orgId}`, report);
    if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
  }
}

/** An account of an identity provider that has signed in. */
async function linkIdentity(app: TestApp, orgId: string, userId: string): Promise<void> {
  const signIn = { orgId, issuer: 'https://idp.example.com', subject: randomUUID(), userId, issuedAt: undefined };
  if (!(await app.app.get(IdentityLinks).link(operatorActor(orgId), signIn))) throw new Error('no link was made');
}

/** A chat command of a linked user, and a notification sent to the chat. */
async function takeCommand(app: TestApp, orgId: string, call: Call, user_id: string): Promise<void> {
  const slack = new SlackWorkspace(app);
  const workspace = { platform: 'slack', workspace: slack.id };
  const { body } = await call('POST', '/v1/chat/workspaces', { ...workspace, signing_secret: slack.secret });
  await app.database.asOwner(
    `insert into governance.chat_notices (org_id, id, workspace_id, subject, subject_id, state, stage, created_at)
     values ($1, gen_random_uuid(), $2, 'incident', gen_random_uuid(), 'open', 'sent', now())`,
    [orgId, body.id],
  );
  await call('POST', '/v1/chat/links', { ...workspace, account: 'U0FILL', user_id });
  const { status, text } = await slack.type('U0FILL', 'list');
  if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
}

/** A connector that creates a ticket for the next incident. The platform is unreachable, so the ticket waits. */
function connectDesk(call: Call): ReturnType<Call> {
  return call('POST', '/v1/itsm/connectors', {
    ...{ kind: 'servicenow', name: randomUUID(), settings: { instance_url: new URL(CLOSED).origin } },
    secrets: { username: 'somebody', password: randomUUID() },
  });
}

/** A user and a group of an identity provider. */
async function provision(call: Call): Promise<void> {
  const urn = (kind: string): string[] => [`urn:ietf:params:scim:schemas:core:2.0:${kind}`];
  const userName = `${randomUUID()}@people.example`;
  const emails = [{ value: userName }, { value: `other-${userName}` }];
  const { id } = (await call('POST', '/scim/v2/Users', { schemas: urn('User'), userName, emails })).body;
  const group = { schemas: urn('Group'), displayName: randomUUID(), members: [{ value: id }] };
  const { status, text } = await call('POST', '/scim/v2/Groups', group);
  if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`);
}

/** Reports usage that has no price at first, then sets the price and re-rates the usage. */
async function adjustUsage(app: TestApp, call: Call, user_email: string): Promise<void> {
  const occurred_at = app.clock.now().toISOString();
  const event = { id: randomUUID(), user_email, provider: 'acme', model: 'acme-late', occurred_at };
  await call('POST', '/v1/usage/events', { events: [{ ...event, input_tokens: 100, output_tokens: 10 }] });
  await call('PUT', '/v1/prices', { model: 'acme-late', input_per_million_usd: 1, output_per_million_usd: 2 });
  const day = occurred_at.slice(0, 10);
  const { id } = (await call('POST', '/v1/prices/reratings', { start_date: day, end_date: day })).body;
  await until(async () => (await call('GET', `/v1/prices/reratings/${id}`)).body.events_adjusted === 1);
}

/** A delivery with an attempt, and a delivery that waits because its webhook is paused. */
async function attemptDelivery(app: TestApp, orgId: string, call: Call): Promise<void> {
  const { id } = await registerWebhook(call, { url: CLOSED });
  await registerWebhook(call, { url: CLOSED, enabled: false });
  await fireEvents(app, orgId);
  await until(async () => (await call('GET', `/v1/webhooks/${id}`)).body.health.attempts > 0);
}

/** Decisions are recorded after the answer. */
async function untilDecisionIsRecorded(app: TestApp, orgId: string): Promise<void> {
  const database = app.app.get(OrgDatabase);
  for (let attempt = 0; attempt < 100; attempt++) {
    const found = await database.transaction(orgId, em =>
      em
        .getConnection()
        .execute<unknown[]>(
          'select 1 from governance.decisions where org_id = ? limit 1',
          [orgId],
          'all',
          em.getTransactionContext(),
        ),
    );
    if (found.length > 0) return;
    await new Promise(done => setTimeout(done, 50));
  }
  throw new Error('no decision was recorded within five seconds');
}
