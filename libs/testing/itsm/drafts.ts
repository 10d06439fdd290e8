import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';
import type { TicketChange, TicketDraft } from '#itsm';

/** The draft of a ticket, as a violation creates it. */
export function draftOf(more: Partial<TicketDraft> = {}): TicketDraft {
  const severity = more.severity ?? 'high';
  return {
    key: randomUUID(),
    title: '[Governance] policy_violation: ada@example.com used gpt-4o against “No drafts of contracts”',
    severity,
    labels: ['governance', 'ai-policy', severity],
    payload: {
      id: 'evt_0199c2a86b1e7d108c521f0a7e9d4b33',
      type: 'policy_violation',
      user: 'ada@example.com',
      model: 'gpt-4o',
      provider: 'openai',
      details: { policy: 'No "drafts" of contracts', tags: ['a', 'b'], count: 3, empty: {}, none: null, path: 'C:\\x' },
    },
    link: 'https://governance.example.com/incidents/0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
    ...more,
  };
}

/**
 * A text longer than any platform accepts. Each of its characters consists of two UTF-16 units and begins at an odd
 * offset, so a cut at an even offset splits a character.
 */
export const LONG_PAYLOAD: JsonObject = { id: 'evt_1', odd: 'x', text: '\u{1F600}'.repeat(100_000), last: 'the end' };

/** All texts in a JSON value, without keys. */
export function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Freezes the value and everything in it. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** A change of a ticket as an incident requests it, from severity `high`. */
export function changeOf(kind: TicketChange['kind'], more: Partial<TicketChange> = {}): TicketChange {
  const key = randomUUID();
  const text = kind === 'priority' ? '' : `Seen 3 times: “a” & <b>.\nIncident: https://g.example/i\nReference: ${key}`;
  return { kind, key, text, severity: 'critical', severityBefore: 'high', repeated: false, ...more };
}
