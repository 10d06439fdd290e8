import type { JsonObject, Severity } from '#core';
import type { TicketChange } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import { cutText, describeDraft, oneLine } from '../../adapter/ticket-text.js';
import type { PagerDutySettings } from './pagerduty-settings.js';

/**
 * Longest summary, and details, in characters. An event may have 512 KB; a character takes up to three bytes, also where
 * it is escaped once more.
 */
const LIMITS = { title: 1_024, description: 150_000 } as const;

const SOURCE = 'llm-governance';

/** Severities of alerts. */
const SEVERITY = { critical: 'critical', high: 'error', medium: 'warning', low: 'info' } satisfies Record<
  Severity,
  string
>;

/** An event that opens an alert, without the integration key. */
export function renderEvent(draft: TicketDraft, settings: PagerDutySettings): RenderedTicket {
  const title = summaryOf(draft.title);
  const description = describeDraft(draft, LIMITS.description);
  const { key, link, severity, labels } = draft;
  const [source = SOURCE] = labels;
  const body = {
    ...triggerOf(key, { summary: title, source, severity: severityOf(severity, settings) }, { description }),
    ...(link !== null && { links: [{ href: link, text: 'Incident' }], client_url: link }),
  };
  return { title, description, labels: [], body };
}

/** The same for an incident that happened again: a resolved alert stays so, and another of the same key is opened. */
export function reopeningEvent(key: string, change: TicketChange, settings: PagerDutySettings): JsonObject {
  const [first = ''] = change.text.split('\n');
  const payload = {
    summary: summaryOf(change.title ?? first),
    source: SOURCE,
    severity: severityOf(change.severity, settings),
  };
  return triggerOf(key, payload, { description: cutText(change.text.toWellFormed(), LIMITS.description) });
}

function triggerOf(key: string, payload: JsonObject, details: JsonObject): JsonObject {
  const client = 'LLM governance';
  return { event_action: 'trigger', dedup_key: key, client, payload: { ...payload, custom_details: details } };
}

function summaryOf(title: string): string {
  return cutText(oneLine(title) || 'Incident without a title', LIMITS.title);
}

function severityOf(severity: Severity, { priorities }: PagerDutySettings): string {
  return priorities?.[severity] ?? SEVERITY[severity];
}
