import { createHash } from 'node:crypto';
import type { JsonObject, Severity } from '#core';
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
  /** Default: built from the other fields. */
  readonly summary?: string;
  /** Data of the event: the violation or the anomaly. */
  readonly payload: JsonObject;
}

/** Settings that all tickets share. */
export interface TicketStyle {
  readonly serviceName: string;
  /** The address that the id of an incident follows, without a slash at its end; null to omit the link. */
  readonly incidentsUrl: string | null;
}

/**
 * Builds the draft of a ticket (interface specification, section 6.5). It has the title `[Service] <event type>:
 * <summary>`, labels for the service, `ai-policy` and the severity, and the whole payload.
 */
export function composeDraft(matter: TicketMatter, { serviceName, incidentsUrl }: TicketStyle): StoredDraft {
  const { incidentId, type, severity, payload } = matter;
  return {
    title: `[${serviceName}] ${type}: ${matter.summary ?? summaryOf(matter)}`,
    severity,
    labels: [serviceName.trim().toLowerCase().replace(/\s+/g, '-'), 'ai-policy', severity],
    payload,
    link: incidentsUrl === null || incidentId === null ? null : `${incidentsUrl}/${incidentId}`,
  };
}

function summaryOf({ payload, userEmail, userId, provider, model }: TicketMatter): string {
  const { details } = payload;
  const facts = typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {};
  const named = [facts['policy_name'], facts['summary']].find(text => typeof text === 'string');
  const what = named ?? 'A person should look at this';
  const who = userEmail ?? userId;
  const where = [provider, model].filter(part => part !== null).join('/');
  return [what, ...(who === null ? [] : [`by ${who}`]), ...(where === '' ? [] : [`with ${where}`])].join(' ');
}

/** Incidents with equal values in these fields share a ticket. */
export interface SharedMatter {
  readonly type: string;
  readonly policyId: string | null;
  readonly userId: string | null;
  readonly model: string | null;
}

/** The fields as a key. A new incident reopens the ticket of an earlier one with the same key. */
export function matterOf({ type, policyId, userId, model }: SharedMatter): string {
  const key = JSON.stringify([type, policyId, userId?.toLowerCase() ?? null, model]);
  return createHash('sha256').update(key).digest('base64url');
}
