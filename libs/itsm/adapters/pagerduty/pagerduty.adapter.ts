import { Injectable } from '@nestjs/common';
import { defined, type JsonObject, type Severity } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import { checksOf } from '../../adapter/api-adapter.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import { deliveryId, hasSignature, type InboundReport } from '../../adapter/inbound-report.js';
import { ItsmAdapter, type AdapterCapabilities, type Check } from '../../adapter/itsm-adapter.port.js';
import { asMoment, asObject, asText } from '../../adapter/platform-answer.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate, TicketStatus } from '../../adapter/ticket-state.js';
import { cutText, describeDraft, titleOf } from '../../adapter/ticket-text.js';
import { apiOf, eventsUrlOf, SECRETS, SETTINGS, type Context, type Secrets, type Settings } from './events-api.js';

/** Deduplication key of no alert. PagerDuty accepts events with this key and drops them. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Maximum length of title and description, in characters. PagerDuty accepts events of up to 512 KB, and one character
 * can take three bytes.
 */
const LIMITS = { title: 1_024, description: 150_000 } as const;

const SOURCE = 'llm-governance';

/** PagerDuty's alert severities. */
const SEVERITY = { critical: 'critical', high: 'error', medium: 'warning', low: 'info' } satisfies Record<
  Severity,
  string
>;

const STATUSES = new Map<string, TicketStatus>([
  ['triggered', 'open'],
  ['acknowledged', 'in_progress'],
  ['resolved', 'resolved'],
]);

/** Verifies the signature of PagerDuty's webhooks: https://developer.pagerduty.com/docs/webhooks/webhook-signatures/ */
const SIGNATURES = { header: 'x-pagerduty-signature', version: 'v1=', encoding: 'hex', separator: ',' } as const;

/**
 * Alerts in PagerDuty, by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2/overview/). The API
 * accepts events, but cannot be read. The key of a ticket is the deduplication key of its alert. While the alert is
 * open, a repeated event opens no second alert. After people have resolved the alert, a repeated event opens a new one.
 */
@Injectable()
export class PagerDutyAdapter extends ItsmAdapter<Settings, Secrets> {
  readonly kind = 'pagerduty';
  readonly title = 'PagerDuty';
  readonly settingsSchema = SETTINGS;
  readonly secretsSchema = SECRETS;
  override readonly bodySecrets = ['routing_key'];
  readonly capabilities: AdapterCapabilities = {
    ...{ priority: true, labels: false, comment: false, findByKey: 'none', create: 'idempotent-while-open' },
    changes: ['resolve', 'reopen'],
  };

  override origins(settings: Settings): readonly string[] {
    return [new URL(eventsUrlOf(settings)).origin];
  }

  override render(draft: TicketDraft, settings: Settings): RenderedTicket {
    const [title, description] = [titleOf(draft, LIMITS.title), describeDraft(draft, LIMITS.description)];
    const { key, link, severity, labels } = draft;
    const [source = SOURCE] = labels;
    const payload = { summary: title, source, severity: settings.priorities?.[severity] ?? SEVERITY[severity] };
    const links: JsonObject = link === null ? {} : { links: [{ href: link, text: 'Incident' }], client_url: link };
    return { title, description, labels: [], body: { ...triggerOf(key, payload, description), ...links } };
  }

  /** The API cannot be read, so the test sends an event that has no effect. */
  override verify(context: Context): Promise<Check[]> {
    const look = async () => {
      const answer = await send(context, { event_action: 'resolve', dedup_key: NOBODY });
      return isTakenFor(NOBODY, answer)
        ? 'The test ticket shows whether the key belongs to a service: look for its alert there.'
        : { failed: apiOf(context).failure(answer).message };
    };
    return checksOf([['PagerDuty takes events of the integration key', look]]);
  }

  override async create(context: Context, { body }: RenderedTicket, key: string): Promise<CreateOutcome> {
    const answer = await send(context, body);
    if (isTakenFor(key, answer)) return { kind: 'created', ref: { externalTicketId: key } };
    return apiOf(context).failure(answer);
  }

  /** Finds nothing, because the API has no search. The service repeats the create instead. */
  override async findByKey(): Promise<TicketRef[]> {
    return [];
  }

  /** A repeated resolve or trigger has no effect, so both are safe to retry. */
  override async update(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const { kind, severity, text, title = text.split('\n')[0] ?? '' } = change;
    if (kind !== 'resolve' && kind !== 'reopen') {
      return { kind: 'updated', kept: 'An alert keeps its severity and texts.' };
    }
    const key = ref.externalTicketId;
    // PagerDuty does not reopen a resolved alert. It opens a new alert with the same key.
    const payload = {
      ...{ summary: titleOf({ title }, LIMITS.title), source: SOURCE },
      severity: context.settings.priorities?.[severity] ?? SEVERITY[severity],
    };
    const trigger = triggerOf(key, payload, cutText(text.toWellFormed(), LIMITS.description));
    const answer = await send(context, kind === 'resolve' ? { event_action: 'resolve', dedup_key: key } : trigger);
    const isMade = (): boolean | undefined => (isTakenFor(key, answer) ? true : undefined);
    return apiOf(context).changed(answer, 202, isMade, kind === 'resolve' ? 'resolved' : 'open');
  }

  /** Parses a V3 webhook about an incident (https://developer.pagerduty.com/docs/webhooks/v3-overview/). */
  override mapInbound(body: JsonObject): InboundUpdate | null {
    const event = asObject(body['event']) ?? {};
    const incident = asObject(event['data']) ?? {};
    const isOfIncident = asText(event['event_type'])?.startsWith('incident.') === true;
    if (!isOfIncident || incident['type'] !== 'incident') return null;
    // The deduplication key of the alert that opened the incident.
    const externalTicketId = asText(incident['incident_key']);
    const status = STATUSES.get(asText(incident['status']) ?? '');
    if (externalTicketId === undefined || status === undefined) return null;
    const updatedBy = asText(asObject(event['agent'])?.['summary']);
    const known = defined({ occurredAt: asMoment(event['occurred_at']), updatedBy });
    return { externalTicketId, status, ...known, ...deliveryId('pagerduty', asText(event['id']) ?? '') };
  }

  override isSigned(report: InboundReport, secret: string): boolean {
    return hasSignature(report, secret, SIGNATURES);
  }
}

function triggerOf(key: string, payload: JsonObject, description: string): JsonObject {
  const full = { ...payload, custom_details: { description } };
  return { event_action: 'trigger', dedup_key: key, client: 'LLM governance', payload: full };
}

/** @throws AdapterHttpError */
function send(context: Context, event: JsonObject): Promise<AdapterResponse> {
  return apiOf(context).ask('/v2/enqueue', { json: { ...event, routing_key: context.secrets.routing_key } });
}

/** Whether the answer confirms an event for this deduplication key. */
function isTakenFor(key: string, answer: AdapterResponse): boolean {
  const said = answer.status === 202 ? asObject(answer.json()) : undefined;
  return said?.['status'] === 'success' && said['dedup_key'] === key;
}
