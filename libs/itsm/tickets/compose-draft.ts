import { createHash } from 'node:crypto';
import type { Json, JsonObject, Severity } from '#core';
import { cutText, oneLine } from '../adapter/ticket-text.js';
import type { StoredDraft } from './ticket.entity.js';

/** The incident or anomaly that a ticket describes. */
export interface TicketMatter {
  readonly incidentId: string | null;
  /** Type of the event. */
  readonly type: string;
  readonly severity: Severity;
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  /** One line about the matter. Default: built from the other fields. */
  readonly summary?: string;
  /** Data of the event: the violation or the anomaly. */
  readonly payload: JsonObject;
}

/** Settings that all tickets share. */
export interface TicketStyle {
  readonly serviceName: string;
  /** The address before the id of an incident in links, without a slash at its end; null to omit the link. */
  readonly incidentsUrl: string | null;
}

/**
 * Builds the draft of a ticket (interface specification, section 6.5). It has the title `[Service] <event type>:
 * <summary>`, labels for the service, `ai-policy` and the severity, the facts in words, and the whole payload.
 */
export function composeDraft(matter: TicketMatter, { serviceName, incidentsUrl }: TicketStyle): StoredDraft {
  const { incidentId, type, severity, payload } = matter;
  const text = textOf(matter);
  return {
    title: `[${serviceName}] ${type}: ${matter.summary ?? summaryOf(matter)}`,
    severity,
    labels: [serviceName.trim().toLowerCase().replace(/\s+/g, '-'), 'ai-policy', severity],
    payload,
    link: incidentsUrl === null || incidentId === null ? null : `${incidentsUrl}/${incidentId}`,
    ...(text !== undefined && { text }),
  };
}

/** Maximum length of provider and model in the title. Callers choose them, and person and policy must stay visible. */
const WHAT_MAX = 80;

/** The action of a policy on the request of a violation: as the beginning of a title, and as a sentence. */
const ACTIONS: ReadonlyMap<Json | undefined, readonly [title: string, sentence: string]> = new Map([
  ['block', ['Blocked', 'blocked the request'] as const],
  ['alert', ['Alert', 'raised an alert'] as const],
]);

function summaryOf(matter: TicketMatter): string {
  const { policy_name: policy, policy_action: action, summary } = detailsOf(matter);
  const [who, what] = [whoOf(matter), whatOf(matter)];
  const [did] = ACTIONS.get(action) ?? [];
  if (typeof policy === 'string' && did !== undefined && what !== undefined) {
    return `${did}: ${what}${who === undefined ? '' : ` for ${who}`} (policy “${policy}”)`;
  }
  const named = [policy, summary].find(text => typeof text === 'string') ?? 'A person should look at this';
  return [named, ...(who === undefined ? [] : [`by ${who}`]), ...(what === undefined ? [] : [`with ${what}`])].join(
    ' ',
  );
}

/** Sentences and facts about a violation for its reader. Undefined for any other matter, whose summary is enough. */
function textOf(matter: TicketMatter): string | undefined {
  const { policy_name: policy, policy_action: action, user_name: name, department } = detailsOf(matter);
  const [, did] = ACTIONS.get(action) ?? [];
  const what = whatOf(matter);
  if (typeof policy !== 'string' || did === undefined || what === undefined) return undefined;
  const who = whoOf(matter) ?? 'Somebody unknown';
  const person = typeof name === 'string' && name !== who ? `${name} (${who})` : who;
  const facts = [
    `${person} asked for ${what}. The policy “${policy}” ${did}.`,
    `Severity: ${matter.severity}`,
    ...(typeof department === 'string' ? [`Department: ${department}`] : []),
  ];
  return facts.map(unlinked).join('\n');
}

/** The name in one line. A name that the platform would show as a link is changed. */
function unlinked(text: string): string {
  return oneLine(text).replaceAll('://', ': //');
}

function detailsOf({ payload: { details } }: TicketMatter): JsonObject {
  return typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {};
}

function whoOf({ userEmail, userId }: TicketMatter): string | undefined {
  return userEmail ?? userId ?? undefined;
}

function whatOf({ provider, model }: TicketMatter): string | undefined {
  const parts = [provider, model].filter(part => part !== null);
  return parts.length === 0 ? undefined : cutText(parts.join('/').toWellFormed(), WHAT_MAX, '…');
}

/** Incidents that have equal values in these fields share a ticket. */
export interface SharedTicketFields {
  readonly type: string;
  readonly policyId: string | null;
  readonly userId: string | null;
  readonly model: string | null;
}

/** The values of these fields as a key. A new incident reopens the ticket of an earlier one with the same key. */
export function sharedTicketKey({ type, policyId, userId, model }: SharedTicketFields): string {
  const key = JSON.stringify([type, policyId, userId?.toLowerCase() ?? null, model]);
  return createHash('sha256').update(key).digest('base64url');
}
