import type { Json, JsonObject } from '#core';
import type { InboundUpdate, TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { asObject, asText } from '../../adapter/platform-answer.js';

/** Statuses by the key of Jira's status category. The key does not depend on the language. */
const BY_CATEGORY = new Map<string, TicketStatus>([
  ['undefined', 'open'],
  ['new', 'open'],
  ['indeterminate', 'in_progress'],
  ['done', 'resolved'],
]);

/**
 * Resolutions that end an issue without a solution, in lower case. A ticket with such a resolution has the status
 * closed.
 */
const UNSOLVED = new Set([
  "won't do",
  "won't fix",
  'duplicate',
  'cannot reproduce',
  'declined',
  'incomplete',
  'rejected',
  'known error',
]);

/**
 * State of an issue, from its fields `status`, `resolution` and `updated`. Undefined if they do not determine a state.
 */
export function stateOf(fields: JsonObject): TicketState | undefined {
  const status = asObject(fields['status']);
  const category = asText(asObject(status?.['statusCategory'])?.['key']);
  const known = BY_CATEGORY.get(category ?? '');
  if (known === undefined) return undefined;
  const resolution = asText(asObject(fields['resolution'])?.['name']);
  const occurredAt = timeOf(fields['updated']);
  return {
    status: known === 'resolved' && isClosed(asText(status?.['name']), resolution) ? 'closed' : known,
    ...(resolution !== undefined && { resolution }),
    ...(occurredAt && { occurredAt }),
  };
}

/** Header that identifies a webhook delivery. Jira sends the same value when it delivers again. */
export const DELIVERY_HEADER = 'x-atlassian-webhook-identifier';
const DELIVERY = /^[\w.-]{1,200}$/;

/**
 * Parses Jira's webhooks `jira:issue_created` and `jira:issue_updated`; null for anything else
 * (https://developer.atlassian.com/cloud/jira/platform/webhooks).
 */
export function inboundOf(body: JsonObject, delivery?: string): InboundUpdate | null {
  if (!/^jira:issue_(created|updated)$/.test(asText(body['webhookEvent']) ?? '')) return null;
  const issue = asObject(body['issue']);
  const externalTicketId = asText(issue?.['key']);
  const state = stateOf(asObject(issue?.['fields']) ?? {});
  if (externalTicketId === undefined || state === undefined) return null;
  const platformId = asText(issue?.['id']);
  const user = asObject(body['user']);
  // Jira omits the address if the user's profile hides it.
  const updatedBy = asText(user?.['emailAddress']) ?? asText(user?.['displayName']);
  const change = asText(asObject(body['changelog'])?.['id']);
  const occurredAt = timeOf(body['timestamp']);
  return {
    externalTicketId,
    // When an issue moves to another project, it keeps its id but gets a new key.
    ...(platformId !== undefined && { platformId }),
    ...(occurredAt && { occurredAt }),
    ...state,
    ...(updatedBy !== undefined && { updatedBy }),
    // If a report is not accepted, Jira sends it again with the same change id.
    ...eventOf(change === undefined ? undefined : `jira:${platformId ?? externalTicketId}:${change}`, delivery),
  };
}

/**
 * Uses the change id if there is one, because change ids are in order. Delivery ids are not in order, even if they end
 * in digits.
 */
function eventOf(change: string | undefined, delivery = ''): Pick<InboundUpdate, 'eventId'> {
  if (change !== undefined) return { eventId: change };
  return DELIVERY.test(delivery) ? { eventId: `jira-delivery:${delivery}:` } : {};
}

function isClosed(status: string | undefined, resolution: string | undefined): boolean {
  return status?.toLowerCase() === 'closed' || UNSOLVED.has(resolution?.toLowerCase().replaceAll('’', "'") ?? '');
}

/** Parses a time: milliseconds, or text with a time zone such as +0000. */
function timeOf(value: Json | undefined): Date | undefined {
  const time = new Date(typeof value === 'string' ? value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : NaN);
  if (typeof value === 'number') time.setTime(value);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
