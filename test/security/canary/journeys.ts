import { randomUUID } from 'node:crypto';
import { answer } from '../../support/endpoint-behaviours.js';
import { until } from '../../support/webhooks.js';
import { runDashboard } from './dashboard-journeys.js';
import { runTickets } from './ticket-journeys.js';
import { newRequest } from '../../e2e/devices/devices.support.js';
import { echo, makeDue } from './echo.js';
import type { CanaryStage } from './stage.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const MODEL = { provider: 'openai', model: 'gpt-4o' };

/** The data that later journeys use. */
export interface People {
  ada: string;
  bob: string;
}

/** Calls every operation of the API at least once with success. */
export async function runJourneys(stage: CanaryStage): Promise<void> {
  const { traffic } = stage;
  await runPlainReads(stage);
  const person = (name: string): Promise<string> =>
    traffic.do('POST', '/v1/users', { email: `${name}@people.example`, name }).then(({ id }) => id);
  const people = { ada: await person('ada'), bob: await person('bob') };
  await runUsers(stage, people);
  await runCredentials(stage, people);
  await runPolicies(stage, people);
  await runUsage(stage, people);
  await runScim(stage);
  await runDevices(stage, people);
  await runGateway(stage, people);
  await runAnomalies(stage, people);
  await runIntegrations(stage, people);
  await runDashboard(stage);
  await runTickets(stage, people);
  await runWebhooks(stage, people);
  await runConfiguration(stage);
}

async function runConfiguration({ traffic }: CanaryStage): Promise<void> {
  const document = await traffic.do('GET', '/v1/configuration');
  await traffic.do('PUT', '/v1/configuration', document);
}

async function runPlainReads({ traffic }: CanaryStage): Promise<void> {
  await traffic.do('GET', '/health/live');
  await traffic.do('GET', '/health/ready');
  await traffic.do('GET', '/v1/organization');
  await traffic.do('PATCH', '/v1/organization', { name: 'Canaries' });
  await traffic.do('GET', '/v1/events/types');
  await traffic.do('GET', '/v1/audit-log');
}

async function runUsers({ traffic }: CanaryStage, { ada, bob }: People): Promise<void> {
  await traffic.do('GET', '/v1/users');
  await traffic.do('GET', `/v1/users/${ada}`);
  await traffic.do('PUT', `/v1/users/${ada}`, { department: 'Sales' });
  await traffic.do('POST', '/v1/users/import', 'email,name\r\ncarl@people.example,Carl\r\n', { type: 'text/csv' });
  const departure_date = new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10);
  await traffic.do('POST', `/v1/users/${bob}/offboard`, { departure_date });
  await traffic.do('DELETE', `/v1/users/${bob}/offboard`);
  await traffic.do('POST', `/v1/users/${bob}/offboard`);
  await traffic.do('POST', `/v1/users/${bob}/reinstate`);
  await traffic.do('POST', `/v1/users/${ada}/export`);
  const { id: eve } = await traffic.do('POST', '/v1/users', { email: 'eve@people.example', name: 'Eve Erased' });
  await traffic.do('POST', `/v1/users/${eve}/erase`);
}

/** Creates and uses tokens of every role and a JWT. Revokes one token. */
async function runCredentials({ traffic, canaries, signJwt }: CanaryStage, { ada }: People): Promise<void> {
  for (const role of ['admin', 'auditor', 'agent', 'member', 'scim']) {
    const owner = role === 'member' ? { user_id: ada } : {};
    const { id, token } = await traffic.do('POST', '/v1/tokens', { name: role, role, ...owner });
    canaries.add(`token of the role ${role}`, token);
    await traffic.send('GET', '/v1/users', { as: token });
    if (role !== 'scim') continue;
    await traffic.do('DELETE', `/v1/tokens/${id}`);
    await traffic.send('GET', '/scim/v2/Users', { as: token });
  }
  await traffic.do('GET', '/v1/tokens');
  await traffic.do('DELETE', `/v1/tokens?issued_by=${ada}`);
  const claims = { sub: 'subject-1', email: 'ada@people.example', email_verified: true, role: 'auditor' };
  const jwt = await signJwt(claims);
  canaries.add('JWT', jwt);
  canaries.add('signature of a JWT', jwt.split('.')[2] ?? '');
  await traffic.do('GET', '/v1/policies', undefined, { as: jwt });
  const [link] = (await traffic.do('GET', `/v1/identities?user_id=${ada}`)).items;
  await traffic.do('DELETE', `/v1/identities/${link.id}`);
  // A request with the JWT links the account again.
  await traffic.do('GET', '/v1/policies', undefined, { as: jwt });
}

async function runPolicies({ traffic }: CanaryStage, { ada, bob }: People): Promise<void> {
  const { id } = await traffic.do('POST', '/v1/policies', { name: 'Watch', action: 'alert' });
  await traffic.do('GET', '/v1/policies');
  await traffic.do('GET', `/v1/policies/${id}`);
  await traffic.do('PUT', `/v1/policies/${id}`, { severity: 'high' });
  await traffic.do('GET', '/v1/policies/hits');
  await traffic.do('GET', `/v1/policies/${id}/hits`);
  await traffic.do('GET', `/v1/policies/${id}/versions`);
  await traffic.do('GET', `/v1/policies/${id}/versions/1`);
  await traffic.do('GET', `/v1/policies/${id}/versions/2/diff`);
  await traffic.do('POST', `/v1/policies/${id}/restore`, { version: 1 });
  await traffic.do('POST', '/v1/policies/simulate', { policy: { name: 'Draft', action: 'block' }, days: 1 });
  const doomed = await traffic.do('POST', '/v1/policies', { name: 'Doomed', action: 'alert', model: 'none' });
  await traffic.do('DELETE', `/v1/policies/${doomed.id}`);

  const budget = { name: 'All', scope: 'organization', amount_usd: 1000, period: 'monthly', enforcement: 'block' };
  const made = await traffic.do('POST', '/v1/budgets', budget);
  const asked = { ...MODEL, estimated_input_tokens: 100, max_output_tokens: 100 };
  const decision = await traffic.do('POST', '/v1/decisions', { user_id: ada, ...asked });
  await traffic.do('POST', '/v1/decisions/batch', { requests: [{ user_id: bob, ...asked }] });
  await traffic.do('GET', '/v1/reservations');
  await until(async () => (await traffic.send('GET', `/v1/decisions/${decision.id}`)).status === 200);
  await traffic.do('GET', '/v1/decisions');
  await traffic.do('GET', `/v1/decisions/${decision.id}/explanation`);
  await traffic.do('POST', `/v1/reservations/${decision.id}/extend`);
  await traffic.do('POST', `/v1/decisions/${decision.id}/release`);
  await traffic.do('GET', '/v1/budgets');
  await traffic.do('GET', `/v1/budgets/${made.id}`);
  await traffic.do('GET', `/v1/budgets/${made.id}/history`);
  await traffic.do('PATCH', `/v1/budgets/${made.id}`, { amount_usd: 2000 });
  const other = await traffic.do('POST', '/v1/budgets', { ...budget, scope: 'user', user_id: bob });
  await traffic.do('DELETE', `/v1/budgets/${other.id}`);
  const split = await traffic.do('POST', '/v1/budgets', { ...budget, name: 'Each', split_by: 'user' });
  await traffic.do('PUT', `/v1/budgets/${split.id}/overrides`, { part: bob, amount_usd: 5 });
  await traffic.do('GET', `/v1/budgets/${split.id}/parts`);
  const key = await traffic.do('POST', '/v1/tokens', { name: 'Key', role: 'agent', models: ['gpt-4o'] });
  await traffic.do('POST', `/v1/tokens/${key.id}/rotate`, { overlap_hours: 1 });
  const limit = await traffic.do('POST', '/v1/limits', {
    ...{ name: 'Each', scope: 'organization', split_by: 'user' },
    ...{ requests_per_minute: 1000, concurrent_requests: 100 },
  });
  await traffic.do('POST', '/v1/decisions', { user_id: ada, ...asked });
  await traffic.do('GET', '/v1/limits');
  await traffic.do('GET', `/v1/limits/${limit.id}`);
  await traffic.do('GET', `/v1/limits/${limit.id}/parts`);
  await traffic.do('PATCH', `/v1/limits/${limit.id}`, { tokens_per_minute: 1_000_000_000 });
  await traffic.do('DELETE', `/v1/limits/${limit.id}`);

  await traffic.do('POST', '/v1/policies', { name: 'Ask', action: 'require_approval', model: 'ask-*' });
  const ask = async (model: string): Promise<string> =>
    (await traffic.do('POST', '/v1/decisions', { user_id: ada, provider: 'openai', model })).approval_id;
  const [granted, denied] = [await ask('ask-1'), await ask('ask-2')];
  await traffic.do('GET', '/v1/approvals');
  await traffic.do('GET', `/v1/approvals/${granted}`);
  await traffic.do('POST', `/v1/approvals/${granted}/approve`, { reason: 'For a day' });
  await traffic.do('POST', `/v1/approvals/${granted}/revoke`, { reason: 'Done' });
  await traffic.do('POST', `/v1/approvals/${denied}/deny`, { reason: 'No' });
}

async function runUsage({ traffic }: CanaryStage, { ada }: People): Promise<void> {
  const occurred_at = new Date().toISOString();
  const event = { user_id: ada, ...MODEL, occurred_at, input_tokens: 10, output_tokens: 1 };
  await traffic.do('POST', '/v1/usage/events', { events: [{ id: 'one', ...event }] });
  const line = JSON.stringify({ id: 'two', ...event });
  await traffic.do('POST', '/v1/usage/events', `${line}\n`, { type: 'application/x-ndjson' });
  await traffic.do('GET', '/v1/usage/events/one');
  await traffic.do('GET', '/v1/usage');
  await traffic.do('GET', '/v1/usage', undefined, { headers: { accept: 'text/csv' } });
  await traffic.do('GET', '/v1/usage/series?group_by=model&time_zone=organization');
  await traffic.do('GET', '/v1/usage/breakdown?group_by=user,tag:team');
  await traffic.do('GET', '/v1/usage/focus');
  await traffic.do('GET', '/v1/facets?of=model,project,tag');
  const cost = { input_per_million_usd: 1, output_per_million_usd: 2 };
  const price = await traffic.do('PUT', '/v1/prices', { model: 'acme-1', ...cost });
  await traffic.do('GET', '/v1/prices');
  await traffic.do('GET', '/v1/prices/unpriced');
  const day = occurred_at.slice(0, 10);
  const rerating = await traffic.do('POST', '/v1/prices/reratings', { start_date: day, end_date: day });
  await traffic.do('GET', '/v1/prices/reratings');
  await traffic.do('GET', `/v1/prices/reratings/${rerating.id}`);
  await traffic.do('DELETE', `/v1/prices/${price.id}`);
  const discount = await traffic.do('PUT', '/v1/discounts', { model: 'acme-1', percent_off: 10 });
  await traffic.do('GET', '/v1/discounts');
  const rate = await traffic.do('PUT', '/v1/exchange-rates', { currency: 'EUR', date: day, rate: '0.9' });
  await traffic.do('GET', '/v1/exchange-rates');
  await traffic.do('GET', `/v1/exchange-rates/${rate.id}`);
  await traffic.do('DELETE', `/v1/exchange-rates/${rate.id}`);
  await traffic.do('GET', `/v1/discounts/${discount.id}`);
  await traffic.do('DELETE', `/v1/discounts/${discount.id}`);
}

/** A provider that answers, and a caller who sends its token in both ways. */
async function runGateway({ traffic, canaries, receiver }: CanaryStage, { ada }: People): Promise<void> {
  const provider = '/v1/gateway/providers/acme';
  const secrets = { api_key: canaries.make('key of a provider', 'sk-') };
  const base_url = new URL(receiver.url).origin;
  await traffic.do('PUT', provider, { kind: 'openai_compatible', base_url, secrets });
  await traffic.do('GET', '/v1/gateway/providers');
  await traffic.do('GET', provider);
  const completion = {
    id: `chatcmpl-${randomUUID()}`,
    model: 'acme-1',
    usage: { prompt_tokens: 9, completion_tokens: 1 },
  };
  receiver.behave(() => answer(200, JSON.stringify(completion), { 'content-type': 'application/json' }));
  const person = { headers: { 'x-governance-user': ada } };
  const body = { model: 'acme-1', messages: [{ role: 'user', content: 'Hello' }] };
  await traffic.do('POST', '/gateway/acme/v1/chat/completions', body, person);
  // A provider that repeats its API key in the answer.
  receiver.behave(({ headers }) => echo(401, [JSON.stringify(headers)]));
  await traffic.send('POST', '/gateway/acme/v1/chat/completions', { body, ...person });
  await traffic.do('GET', '/v1/calls/open-passes');
  await traffic.do('DELETE', provider);
}

async function runAnomalies({ traffic, asOwner, orgId }: CanaryStage, { ada }: People): Promise<void> {
  await asOwner(
    `insert into governance.anomalies (org_id, id, detected_at, kind, severity, user_id, metric, rule, observed,
       expected_low, expected_high, window_start, window_end, history_days, strength, series, incident_id)
     values ($1, gen_random_uuid(), now(), 'usage_spike', 'medium', $2, 'requests', 'total', 9, 0, 1, now(), now(), 14, 2,
       '[]', gen_random_uuid())`,
    [orgId, ada],
  );
  const [anomaly] = (await traffic.do('GET', '/v1/anomalies')).items;
  await traffic.do('GET', `/v1/anomalies/${anomaly.id}`);
  await traffic.do('POST', `/v1/anomalies/${anomaly.id}/feedback`, { feedback: 'expected' });
  await traffic.do('GET', '/v1/anomalies/settings');
  await traffic.do('PUT', '/v1/anomalies/settings', { sensitivity: 'high' });
  await traffic.do('POST', '/v1/anomalies/simulate', { days: 1 });
}

async function runIntegrations({ traffic }: CanaryStage, { ada }: People): Promise<void> {
  const subject = { type: 'user', id: ada };
  const resource = { type: 'model', id: 'gpt-4o', properties: { provider: 'openai' } };
  const evaluation = { subject, action: { name: 'invoke' }, resource };
  await traffic.do('POST', '/access/v1/evaluation', evaluation);
  await traffic.do('POST', '/access/v1/evaluations', { ...evaluation, evaluations: [{}] });
  const key = { user_api_key_user_email: 'ada@people.example' };
  const question = { input_type: 'request', litellm_call_id: randomUUID(), texts: ['Hello'], model: 'openai/gpt-4o' };
  const litellm = '/v1/integrations/litellm';
  await traffic.do('POST', `${litellm}/beta/litellm_basic_guardrail_api`, { ...question, request_data: key });
  const log = { id: randomUUID(), model: 'gpt-4o', prompt_tokens: 9, completion_tokens: 1, metadata: key };
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const time = `${Date.now()}000000`;
  const attributes = [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.provider.name', 'openai'),
    text('gen_ai.request.model', 'gpt-4o'),
    text('user.email', 'ada@people.example'),
    { key: 'gen_ai.usage.input_tokens', value: { intValue: '9' } },
  ];
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startTimeUnixNano: time, endTimeUnixNano: time };
  const spans = [{ ...span, name: 'chat gpt-4o', attributes }];
  await traffic.do('POST', '/v1/integrations/otlp/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const logRecords = [{ timeUnixNano: time, body: { stringValue: 'claude_code.user_prompt' }, attributes }];
  await traffic.do('POST', '/v1/integrations/otlp/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  const metrics = [{ name: 'claude_code.session.count', sum: { dataPoints: [] } }];
  await traffic.do('POST', '/v1/integrations/otlp/v1/metrics', { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] });
  await traffic.do('POST', '/v1/integrations/claude-code/hook', { hook_event_name: 'PreToolUse', tool_name: 'Read' });
  const startTime = Date.now() / 1_000;
  await traffic.do('POST', `${litellm}/logs`, [
    { ...log, custom_llm_provider: 'openai', status: 'success', startTime },
  ]);
}

async function runScim({ traffic }: CanaryStage): Promise<void> {
  const urn = (kind: string): string[] => [`urn:ietf:params:scim:schemas:core:2.0:${kind}`];
  const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] };
  const patch = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'displayName', value: 'Changed' }],
  };
  const type = { type: 'application/scim+json' };
  for (const kind of ['User', 'Group']) {
    const list = `/scim/v2/${kind}s`;
    const resource =
      kind === 'User'
        ? { schemas: urn(kind), userName: 'dora@people.example', emails: [{ value: 'dora@people.example' }] }
        : { schemas: urn(kind), displayName: 'Research' };
    const { id } = await traffic.do('POST', list, resource, type);
    await traffic.do('GET', list);
    await traffic.do('POST', `${list}/.search`, search, type);
    await traffic.do('GET', `${list}/${id}`);
    await traffic.do('PUT', `${list}/${id}`, resource, type);
    await traffic.do('PATCH', `${list}/${id}`, patch, type);
    await traffic.do('DELETE', `${list}/${id}`);
  }
  await traffic.do('POST', '/scim/v2/.search', search, type);
  for (const path of ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/User', 'Schemas']) {
    await traffic.do('GET', `/scim/v2/${path}`);
  }
  await traffic.do('GET', `/scim/v2/Schemas/${urn('User')[0]}`);
}

async function runDevices({ traffic, canaries, asOwner }: CanaryStage, { ada }: People): Promise<void> {
  const newToken = async (): Promise<{ id: string; token: string }> => {
    const made = await traffic.do('POST', '/v1/devices/enrollments', { user_id: ada, name: 'Laptop' });
    canaries.add('enrollment token', made.token);
    return made;
  };
  const [used, unused] = [await newToken(), await newToken()];
  await traffic.do('DELETE', `/v1/devices/enrollments/${unused.id}`);
  const [key, next] = [await newRequest(), await newRequest()];
  const enrolled = await traffic.do('POST', '/v1/devices/enroll', { token: used.token, csr: key.csr }, { as: null });
  await traffic.send('POST', '/v1/devices/enroll', { body: { token: used.token, csr: key.csr }, as: null });
  await traffic.send('POST', '/v1/devices/enroll', { body: { token: unused.token, csr: key.csr }, as: null });
  const device = `/v1/devices/${enrolled.device.id}`;
  const renewal = { csr: next.csr, proof: key.prove(next.csr) };
  await traffic.do('POST', `${device}/renew`, renewal, { as: null });
  await traffic.do('GET', '/v1/devices');
  await traffic.do('GET', device);
  await traffic.do('POST', `${device}/revoke`, { reason: 'Lost' });
  await traffic.do('GET', '/v1/devices/crl');
  await traffic.do('GET', '/v1/devices/ca');
  const [authority] = await asOwner('select id from governance.device_authorities');
  await traffic.do('GET', `/v1/devices/authorities/${String(authority?.['id'])}/crl`, undefined, { as: null });
}

async function runWebhooks(stage: CanaryStage, { ada }: People): Promise<void> {
  const { traffic, canaries, receiver } = stage;
  const made = await traffic.do('POST', '/v1/webhooks', { url: receiver.url });
  canaries.add('signing secret of a webhook', made.signing_secret);
  const webhook = `/v1/webhooks/${made.id}`;
  await traffic.do('GET', '/v1/webhooks');
  await traffic.do('GET', webhook);
  await traffic.do('PATCH', webhook, { description: 'On call' });
  const rotated = await traffic.do('POST', `${webhook}/rotate-secret`, {});
  canaries.add('rotated signing secret of a webhook', rotated.signing_secret);
  // The receiver's answer repeats every request and every secret that the receiver knows.
  receiver.behave(({ headers, body }) => echo(400, [JSON.stringify(headers), body.toString(), made, rotated]));
  await traffic.do('POST', `${webhook}/test`);
  await traffic.do('POST', '/v1/decisions', { user_id: ada, ...MODEL });
  const failed = await until(async () => {
    // Makes attempts due at once, because the delay grows with each failed attempt.
    await makeDue(stage);
    return (await traffic.do('GET', `${webhook}/deliveries?status=failed`)).items[0];
  }, 60_000);
  await traffic.do('GET', `${webhook}/deliveries/${failed.id}`);
  receiver.behave(() => echo(200, [JSON.stringify(made), JSON.stringify(rotated)]));
  await traffic.do('POST', `${webhook}/deliveries/${failed.id}/retry`);
  await traffic.do('POST', `${webhook}/recover`, { since: new Date(Date.now() - DAY_MS).toISOString() });
  await until(async () => {
    await makeDue(stage);
    return (await traffic.do('GET', `${webhook}/deliveries?status=delivered`)).items[0];
  }, 60_000);
  const [delivery] = (await traffic.do('GET', '/v1/deliveries')).items;
  await traffic.do('GET', `/v1/deliveries/${delivery.id}`);
  await traffic.do('GET', `${webhook}/health?hours=2`);
  const doomed = await traffic.do('POST', '/v1/webhooks', { url: receiver.url, enabled: false });
  canaries.add('signing secret of a deleted webhook', doomed.signing_secret);
  await traffic.do('DELETE', `/v1/webhooks/${doomed.id}`);
}
