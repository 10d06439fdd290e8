import type { Json, JsonObject } from '#core';
import type { InboundUpdate, TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { asObject, asText } from '../../adapter/platform-answer.js';

/** By the key of a status category, which is the same in every language. */
const BY_CATEGORY = new Map<string, TicketStatus>([
  ['undefined', 'open'],
  ['new', 'open'],
  ['indeterminate', 'in_progress'],
  ['done', 'resolved'],
]);

/** Resolutions of Jira that end an issue without solving it; with them it is closed. In lower case. */
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

/** Where an issue stands, from its fields `status`, `resolution` and `updated`; undefined where they do not say. */
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

/** Names a delivery of a webhook; a delivery that is sent again has the same name. */
export const DELIVERY_HEADER = 'x-atlassian-webhook-identifier';
const DELIVERY = /^[\w.-]{1,200}$/;

/**
 * A webhook of Jira, `jira:issue_created` or `jira:issue_updated`; null for anything else
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
  // The address is missing where the person's profile keeps it.
  const updatedBy = asText(user?.['emailAddress']) ?? asText(user?.['displayName']);
  const change = asText(asObject(body['changelog'])?.['id']);
  const occurredAt = timeOf(body['timestamp']);
  return {
    externalTicketId,
    // An issue that is moved to another project has another key, and the same id.
    ...(platformId !== undefined && { platformId }),
    ...(occurredAt && { occurredAt }),
    ...state,
    ...(updatedBy !== undefined && { updatedBy }),
    // Jira sends an update again that was not taken; its change has the same number then.
    ...eventOf(change === undefined ? undefined : `jira:${platformId ?? externalTicketId}:${change}`, delivery),
  };
}

/** A change tells an order, too; the name of a delivery does not, whatever it ends in. */
function eventOf(change: string | undefined, delivery = ''): Pick<InboundUpdate, 'eventId'> {
  if (change !== undefined) return { eventId: change };
  return DELIVERY.test(delivery) ? { eventId: `jira-delivery:${delivery}:` } : {};
}

function isClosed(status: string | undefined, resolution: string | undefined): boolean {
  return status?.toLowerCase() === 'closed' || UNSOLVED.has(resolution?.toLowerCase().replaceAll('’', "'") ?? '');
}

/** Milliseconds, or a text whose zone is written as +0000. */
function timeOf(value: Json | undefined): Date | undefined {
  const time = new Date(typeof value === 'string' ? value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : NaN);
  if (typeof value === 'number') time.setTime(value);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
