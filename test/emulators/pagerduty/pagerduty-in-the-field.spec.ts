import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type JsonObject } from '#core';
import { attemptUpdate, type AdapterContext, type CreateOutcome, type TicketChange, type TicketRef } from '#itsm';
import { PagerDutyAdapter } from '../../../libs/itsm/adapters/pagerduty/pagerduty.adapter.js';
import type { Secrets, Settings } from '../../../libs/itsm/adapters/pagerduty/events-api.js';
import { adapterStage, createBy, fieldDraft, type AdapterStage } from '../adapter-stage.js';
import type { Alert } from './alerts.js';
import { startEventsApi, type EventsApi } from './events-api.js';
import { pingOf, webhookOf, type WebhookDelivery } from './webhooks.js';

let stage: AdapterStage;
let api: EventsApi;
const adapter = new PagerDutyAdapter();
beforeAll(async () => {
  stage = await adapterStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  api = await startEventsApi({ authority: stage.authority });
});
afterEach(() => api.close());

function contextOf(more: Partial<Settings> = {}, routing_key = api.routingKey): AdapterContext<Settings, Secrets> {
  return stage.contextOf(adapter, { events_url: api.origin, ...more }, { routing_key });
}

const create = (draft = fieldDraft(), context = contextOf()): Promise<CreateOutcome> =>
  createBy(adapter, context, draft);

async function created(draft = fieldDraft(), context = contextOf()): Promise<TicketRef> {
  const outcome = await create(draft, context);
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome));
  return outcome.ref;
}

const change = (ref: TicketRef, kind: TicketChange['kind'], more: Partial<TicketChange> = {}) =>
  attemptUpdate(adapter, contextOf(), ref, {
    ...{ kind, key: newId(), text: 'It happened again.\nSeen twice.', severity: 'critical', severityBefore: 'high' },
    ...{ repeated: false, ...more },
  });

const statuses = (): string[] => api.alerts.all.map(({ status }) => status);

async function onlyAlert(): Promise<Alert> {
  await created();
  const [alert] = api.alerts.all;
  if (!alert) throw new Error('There is no alert.');
  return alert;
}

describe('an alert', () => {
  it('has the key of its ticket, the severity, the details and a link', async () => {
    const draft = fieldDraft({ severity: 'high', link: 'https://governance.example.com/i/1' });
    expect(await created(draft)).toEqual({ externalTicketId: draft.key });
    expect(api.alerts.all).toMatchObject([
      {
        dedupKey: draft.key,
        payload: {
          ...{ summary: draft.title, source: 'acme-gateway', severity: 'error' },
          custom_details: { description: expect.stringContaining('"model": "gpt-4o"') },
        },
        links: [{ href: 'https://governance.example.com/i/1', text: 'Incident' }],
      },
    ]);
  });

  it('has the severity that the connector maps', async () => {
    await created(fieldDraft({ severity: 'low' }), contextOf({ priorities: { low: 'critical' } }));
    expect(api.alerts.all).toMatchObject([{ payload: { severity: 'critical' } }]);
  });

  it.each([
    ['of three bytes', '€'],
    ['of two UTF-16 units', '\u{1F600}'],
    ['that JSON escapes twice', '"'],
    ['that are invisible', '\u0000'],
  ])('stays within 512 KB if its payload has a million characters %s', async (_what, character) => {
    await created(fieldDraft({ payload: { text: character.repeat(1_000_000) }, title: character.repeat(5_000) }));
    expect(api.alerts.all).toHaveLength(1);
  });

  it.each(['answer lost', 'broken JSON', '500'] as const)('is created once after “%s” and a retry', async name => {
    const draft = fieldDraft();
    const fault = api.fault(name);
    expect(await create(draft)).toMatchObject({ kind: 'uncertain' });
    fault.end();
    expect(await created(draft)).toEqual({ externalTicketId: draft.key });
    expect(statuses()).toEqual(['triggered']);
  });
});

describe('a create that is repeated with its key', () => {
  it('opens no other alert while the alert is open, but does after people resolved it', async () => {
    const draft = fieldDraft();
    const ref = await created(draft);
    expect(await created(draft)).toEqual(ref);
    expect(statuses()).toEqual(['triggered']);
    for (const alert of api.alerts.all) alert.status = 'resolved';
    expect(await created(draft)).toEqual(ref);
    expect(statuses()).toEqual(['resolved', 'triggered']);
    expect(adapter.capabilities.create).toBe('idempotent-while-open');
  });
});

describe('a region', () => {
  it.each([
    ['us', {}, 'https://events.pagerduty.com'],
    ['us', { region: 'us' }, 'https://events.pagerduty.com'],
    ['eu', { region: 'eu' }, 'https://events.eu.pagerduty.com'],
    ['a proxy', { region: 'eu', events_url: 'https://relay.example.com/pd/' }, 'https://relay.example.com'],
  ] as const)('%s has the API host of its accounts', (_name, settings, origin) => {
    expect(adapter.origins(settings)).toEqual([origin]);
  });
});

describe('an integration key', () => {
  it('is named as the cause if PagerDuty does not know it, and the connector test says so', async () => {
    const context = contextOf({}, 'f'.repeat(32));
    const message = expect.stringMatching(/integration key .*Invalid routing key/);
    expect(await create(fieldDraft(), context)).toMatchObject({ kind: 'rejected', code: 'auth', message });
    expect(await adapter.verify(context)).toMatchObject([{ status: 'failed', message }]);
  });

  it('passes the connector test without creating anything, with a hint that only the service can show more', async () => {
    expect(await adapter.verify(contextOf())).toMatchObject([
      { status: 'passed', message: expect.stringContaining('alert') },
    ]);
    expect(api.alerts.all).toEqual([]);
    expect(api.alerts.dropped).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  it('makes the ticket wait for the usual delay, because PagerDuty names no time', async () => {
    api.conditions.eventsPerMinute = 1;
    await created();
    expect(await create()).toEqual({ kind: 'retryable', message: expect.stringContaining('429') });
  });
});

describe('a change', () => {
  it('resolves the alert, however often it is repeated', async () => {
    const ref = await created();
    expect(await change(ref, 'resolve')).toMatchObject({ kind: 'updated', status: 'resolved' });
    expect(await change(ref, 'resolve', { repeated: true })).toMatchObject({ kind: 'updated', status: 'resolved' });
    expect(statuses()).toEqual(['resolved']);
  });

  it('opens exactly one new alert of the same key when a resolved ticket is reopened', async () => {
    const ref = await created();
    await change(ref, 'resolve');
    const again = { title: '[Acme]\nAda used gpt-4o', severity: 'low', repeated: true } as const;
    expect(await change(ref, 'reopen', again)).toMatchObject({ kind: 'updated', status: 'open' });
    expect(await change(ref, 'reopen', again)).toMatchObject({ kind: 'updated', status: 'open' });
    expect(api.alerts.all).toMatchObject([
      { status: 'resolved' },
      {
        ...{ status: 'triggered', dedupKey: ref.externalTicketId },
        payload: { summary: '[Acme] Ada used gpt-4o', severity: 'info', source: 'llm-governance' },
      },
    ]);
  });

  it('is not sent for a text alone, because it would page people', async () => {
    const ref = await created();
    for (const kind of ['comment', 'priority'] as const) {
      expect(await change(ref, kind)).toMatchObject({ kind: 'updated', kept: expect.any(String) });
    }
    expect(api.alerts.all).toMatchObject([{ log: [{ action: 'trigger' }] }]);
  });
});

describe('a webhook', () => {
  const SECRETS = ['a-secret-of-webhooks-0123456789', 'the-one-before-0123456789'];
  const read = ({ body, headers }: WebhookDelivery) => {
    const report = { headers, bytes: Buffer.from(body) };
    return { report, update: adapter.mapInbound(JSON.parse(body) as JsonObject) };
  };

  it.each([
    ['triggered', 'open'],
    ['acknowledged', 'in_progress'],
    ['resolved', 'resolved'],
  ] as const)('of an incident that is %s gives the ticket the status %s', async (status, expected) => {
    const alert = Object.assign(await onlyAlert(), { status });
    const { update } = read(webhookOf(alert, status, SECRETS));
    expect(update).toMatchObject({ externalTicketId: alert.dedupKey, status: expected, updatedBy: 'Tenex Engineer' });
  });

  it('is accepted with any of its signatures, so that secrets can be rotated', async () => {
    const { report } = read(webhookOf(await onlyAlert(), 'resolved', SECRETS));
    expect(SECRETS.map(secret => adapter.isSigned(report, secret))).toEqual([true, true]);
    expect(adapter.isSigned(report, 'of-somebody-else-0123456789')).toBe(false);
  });

  it('changes nothing if it is about a note, a test, or an incident without an alert', async () => {
    const alert = await onlyAlert();
    expect(read(webhookOf(alert, 'annotated', SECRETS)).update).toBeNull();
    expect(read(pingOf(SECRETS)).update).toBeNull();
    const { body } = webhookOf(alert, 'resolved', SECRETS);
    const event = JSON.parse(body) as { event: { data: JsonObject } };
    event.event.data['incident_key'] = null;
    expect(adapter.mapInbound(event as unknown as JsonObject)).toBeNull();
  });
});
