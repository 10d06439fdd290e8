import type { Severity } from '#core';
import type { ChangeKind } from '../adapter/ticket-change.js';

/** What the text of a change contains. */
export interface ChangeMatter {
  readonly kind: ChangeKind;
  readonly key: string;
  readonly occurrences: number;
  readonly severity: Severity;
  readonly lastSeenAt: Date;
  /** How the incident was resolved. */
  readonly resolution?: string | null;
  /** URL of the incident in the dashboard. */
  readonly link: string | null;
}

/** Text before the key in the service's own texts. */
export const REFERENCE = 'Reference: ';

/** Text of a change, for people. It ends with the key. Empty for a change that adds no text. */
export function changeText(matter: ChangeMatter): string {
  if (matter.kind === 'priority') return '';
  const { link, key } = matter;
  const more = link === null ? [] : [`Incident: ${link}`];
  return [sentence(matter), ...more, `${REFERENCE}${key}`].join('\n');
}

function sentence({ kind, occurrences, severity, lastSeenAt, resolution }: ChangeMatter): string {
  const times = occurrences === 1 ? 'once' : `${occurrences} times`;
  const seen = `Seen ${times}, last at ${minuteOf(lastSeenAt)}. Severity: ${severity}.`;
  if (kind === 'comment') return seen;
  if (kind === 'reopen') return `It happened again. ${seen}`;
  const how = resolution === null || resolution === undefined ? '' : ` Resolution: ${resolution}`;
  return `The incident was resolved. ${seen}${how}`;
}

function minuteOf(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
