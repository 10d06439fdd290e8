import type { Json } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { EndpointOptions } from '../../support/https-endpoint.js';
import { startPlatform, type PlatformEndpoint, type PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { withFaults, type FaultyPlatform } from '../vendor-faults.js';
import { Alerts, type EventAction } from './alerts.js';
import { eventDefects } from './event-rules.js';

/** Special settings of an account. A test can change them at any time. */
export interface EventsConditions {
  /**
   * Maximum number of events per minute for each integration key, counted over the last 60 s. The vendor names about
   * 120 (https://developer.pagerduty.com/docs/events-api-v2/rate-limits/). Default: no limit.
   */
  eventsPerMinute?: number;
  /**
   * The answer to a well-formed but unknown integration key. The documentation does not define it, so clients must
   * handle both. `refused`: status 400. `dropped`: status 202, and the event is discarded. Default: refused.
   */
  unknownKey: 'refused' | 'dropped';
}

/** The Events API of a PagerDuty account. It accepts events, and nothing can be read from it. */
export interface EventsApi extends PlatformEndpoint, FaultyPlatform {
  /** Integration keys. The first one is {@link EventsApi.routingKey}. */
  readonly integrations: Set<string>;
  readonly routingKey: string;
  readonly alerts: Alerts;
  readonly conditions: EventsConditions;
}

const ROUTING_KEY = 'e93facc04764012d7bfb002500d5d1a6';
const MINUTE = 60_000;

/** "Size Limits" of the overview: 512 KB. */
const MAX_BYTES = 512_000;

/**
 * Emulates the Events API v2 of PagerDuty (https://developer.pagerduty.com/docs/events-api-v2/overview/,
 * https://developer.pagerduty.com/docs/events-api-v2/trigger-events/,
 * https://github.com/PagerDuty/api-schema/blob/main/reference/events-v2/openapiv3.json). The integration key in the
 * body is the only authentication.
 */
export async function startEventsApi(options: Omit<EndpointOptions, 'behaviour'>): Promise<EventsApi> {
  const alerts = new Alerts();
  const integrations = new Set([ROUTING_KEY]);
  const conditions: EventsConditions = { unknownKey: 'refused' };
  const accepted = new Map<string, number[]>();

  /** Whether the key has reached its limit per minute. If not, counts the event. */
  const isTooMuch = (key: string): boolean => {
    const now = alerts.now().getTime();
    const recent = (accepted.get(key) ?? []).filter(at => at > now - MINUTE);
    if (conditions.eventsPerMinute !== undefined && recent.length >= conditions.eventsPerMinute) return true;
    accepted.set(key, [...recent, now]);
    return false;
  };

  const perform = ({ method, url, body, json }: PlatformRequest): PlatformAnswer => {
    if (method !== 'POST' || url.pathname !== '/v2/enqueue') return { status: 404, text: 'Not Found' };
    if (body.length > MAX_BYTES) return TOO_LARGE;
    const event = asObject(json);
    if (!event) return UNRECOGNIZED;
    const defects = eventDefects(event);
    if (defects.length > 0) return invalid(defects);
    const routingKey = textIn(event['routing_key']) ?? '';
    if (isTooMuch(routingKey)) return THROTTLED;
    const dedupKey = textIn(event['dedup_key']);
    if (!integrations.has(routingKey)) {
      return conditions.unknownKey === 'refused' ? invalid(['Invalid routing key']) : success(dedupKey ?? '');
    }
    return success(
      alerts.apply({
        ...{ routingKey, dedupKey, payload: asObject(event['payload']) ?? {} },
        // The rules accept only the three actions of this type.
        action: event['event_action'] as EventAction,
        links: Array.isArray(event['links']) ? event['links'] : [],
      }),
    );
  };

  const platform = await startPlatform(options, perform);
  const api = Object.assign(platform, { integrations, routingKey: ROUTING_KEY, alerts, conditions });
  return withFaults(api, { throttled: THROTTLED, failed: FAILED });
}

function success(dedupKey: string): PlatformAnswer {
  return { status: 202, json: { status: 'success', message: 'Event processed', dedup_key: dedupKey } };
}

function invalid(errors: string[]): PlatformAnswer {
  return { status: 400, json: { status: 'invalid event', message: 'Event object is invalid', errors } };
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const UNRECOGNIZED: PlatformAnswer = {
  status: 400,
  json: {
    ...{ status: 'Unrecognized object', message: 'Event object format is unrecognized' },
    errors: ['JSON parse error'],
  },
};

/** The overview names the limit but no status. In HTTP, the status for it is 413. */
const TOO_LARGE: PlatformAnswer = { status: 413, text: 'Request Entity Too Large' };

/** "429 - Request Limit Exceeded". The documentation promises no `Retry-After`, so none is sent. */
const THROTTLED: PlatformAnswer = {
  status: 429,
  json: { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly.' },
};

const FAILED: PlatformAnswer = {
  status: 500,
  json: { status: 'error', message: 'The server experienced an error while processing the event.' },
};
