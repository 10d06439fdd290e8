import { Injectable } from '@nestjs/common';
import type { Clock, JsonObject } from '#core';
import { AdapterHttpError, type AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import type { InboundReport } from '../../adapter/inbound-report.js';
import { ItsmAdapter, type AdapterCapabilities, type Check } from '../../adapter/itsm-adapter.port.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asText, objectIn, outcomeOfRefusal, quoted } from '../../adapter/platform-answer.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { renderEvent, reopeningEvent } from './pagerduty-event.js';
import {
  eventsUrlOf,
  PAGERDUTY_SECRETS,
  PAGERDUTY_SETTINGS,
  type PagerDutyContext,
  type PagerDutySecrets,
  type PagerDutySettings,
} from './pagerduty-settings.js';
import { inboundOf, isFromPagerDuty } from './pagerduty-webhook.js';

/** A key of no alert: events about it are taken in and dropped. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const KEY = 'PagerDuty takes events of the integration key';

/**
 * Alerts in PagerDuty, by its Events API v2 (https://developer.pagerduty.com/docs/events-api-v2/overview/). It takes in
 * events and shows nothing. The key of a ticket is the deduplication key of its alert, so an event can be repeated.
 */
@Injectable()
export class PagerDutyAdapter extends ItsmAdapter<PagerDutySettings, PagerDutySecrets> {
  readonly kind = 'pagerduty';
  readonly title = 'PagerDuty';
  readonly settingsSchema = PAGERDUTY_SETTINGS;
  readonly secretsSchema = PAGERDUTY_SECRETS;
  override readonly bodySecrets = ['routing_key'];
  readonly capabilities: AdapterCapabilities = {
    ...{ priority: true, labels: false, comment: false, findByKey: 'none', create: 'idempotent' },
    changes: ['resolve', 'reopen'],
  };

  override origins(settings: PagerDutySettings): readonly string[] {
    return [new URL(eventsUrlOf(settings)).origin];
  }

  override render(draft: TicketDraft, settings: PagerDutySettings): RenderedTicket {
    return renderEvent(draft, settings);
  }

  /** Nothing can be read, so an event is sent that changes nothing. */
  override async verify(context: PagerDutyContext): Promise<Check[]> {
    try {
      const answer = await send(context, { event_action: 'resolve', dedup_key: NOBODY });
      if (keyIn(answer) === NOBODY) {
        const message = 'The test ticket shows whether the key belongs to a service: look for its alert there.';
        return [{ name: KEY, status: 'passed', message }];
      }
      return [{ name: KEY, status: 'failed', message: troubleOf(answer, context.clock).message }];
    } catch (error) {
      if (!(error instanceof AdapterHttpError)) throw error;
      return [{ name: KEY, status: 'failed', message: error.message }];
    }
  }

  override async create(context: PagerDutyContext, { body }: RenderedTicket, key: string): Promise<CreateOutcome> {
    const answer = await send(context, body);
    if (keyIn(answer) === key) return { kind: 'created', ref: { externalTicketId: key } };
    return troubleOf(answer, context.clock);
  }

  /** It cannot search; a create is repeated instead. */
  override async findByKey(): Promise<TicketRef[]> {
    return [];
  }

  /** To resolve what is resolved, and to trigger what is open, changes nothing, so both can be repeated. */
  override async update(context: PagerDutyContext, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    const { kind } = change;
    if (kind !== 'resolve' && kind !== 'reopen')
      return { kind: 'updated', kept: 'An alert keeps its severity and texts.' };
    const key = ref.externalTicketId;
    const resolving = { event_action: 'resolve', dedup_key: key };
    const event = kind === 'resolve' ? resolving : reopeningEvent(key, change, context.settings);
    const answer = await send(context, event);
    if (keyIn(answer) === key) return { kind: 'updated', status: kind === 'resolve' ? 'resolved' : 'open' };
    return outcomeOfChange(troubleOf(answer, context.clock));
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    return inboundOf(body);
  }

  override isSigned(report: InboundReport, secret: string): boolean {
    return isFromPagerDuty(report, secret);
  }
}

/** @throws AdapterHttpError */
function send({ settings, secrets, http }: PagerDutyContext, event: JsonObject): Promise<AdapterResponse> {
  return http.request({
    method: 'POST',
    url: `${eventsUrlOf(settings)}/v2/enqueue`,
    headers: { accept: 'application/json' },
    json: { ...event, routing_key: secrets.routing_key },
  });
}

/** The deduplication key of the alert that an event was taken in for. */
function keyIn(answer: AdapterResponse): string | undefined {
  const said = answer.status === 202 ? objectIn(answer) : undefined;
  return said?.['status'] === 'success' ? asText(said['dedup_key']) : undefined;
}

/** What an answer means that is no success: 400 has a list of `errors`. */
function troubleOf(answer: AdapterResponse, clock: Clock): Exclude<CreateOutcome, { kind: 'created' }> {
  const said = objectIn(answer);
  const listed = Array.isArray(said?.['errors']) ? said['errors'] : [];
  const errors = listed.flatMap(error => asText(error) ?? []);
  if (answer.status === 400 && errors.length > 0) {
    const reason = quoted(errors.join(' '));
    if (/routing[_ ]key/i.test(reason)) {
      return {
        kind: 'rejected',
        code: 'auth',
        message: `PagerDuty does not know the integration key (400): ${reason}`,
      };
    }
    const named = errors.flatMap(error => {
      const name = /'([\w.[\]]+)'/.exec(error)?.[1];
      return name === undefined ? [] : [[name, quoted(error)] as const];
    });
    const message = `PagerDuty rejected the event (400): ${reason}`;
    return { kind: 'rejected', code: 'field', message, fields: Object.fromEntries(named) };
  }
  return outcomeOfRefusal(answer, clock, asText(said?.['message']));
}
