import { BadRequestError, isStorableText, type FieldError } from '#core';
import { INCIDENT_STATUSES, type IncidentStatus } from '../incident/incident-status.js';

/** Maximum length of a note and of a resolution, in characters. */
export const INCIDENT_NOTE_MAX = 4000;

/** A change of an incident by a person. At least one of `status` and `note` is required. */
export interface IncidentChange {
  readonly status?: IncidentStatus | undefined;
  /** A note for the timeline. */
  readonly note?: string | undefined;
  /** The outcome. Allowed only with the status `resolved`. */
  readonly resolution?: string | undefined;
}

/** @throws BadRequestError naming every invalid field */
export function checkChange({ status, note, resolution }: IncidentChange): void {
  const faults: FieldError[] = [];
  if (status === undefined && note === undefined) {
    faults.push({ field: 'status', message: 'is required without a note' });
  }
  if (status !== undefined && !INCIDENT_STATUSES.includes(status)) {
    faults.push({ field: 'status', message: `must be one of: ${INCIDENT_STATUSES.join(', ')}` });
  }
  if (resolution !== undefined && status !== 'resolved') {
    faults.push({ field: 'resolution', message: 'requires the status resolved in the same request' });
  }
  for (const [field, text] of Object.entries({ note, resolution })) {
    if (text !== undefined && !isText(text)) {
      faults.push({ field, message: `must be a text of 1 to ${INCIDENT_NOTE_MAX} characters without NUL` });
    }
  }
  if (faults.length > 0) throw BadRequestError.fields(faults);
}

function isText(text: string): boolean {
  return /\S/.test(text) && lengthOf(text) <= INCIDENT_NOTE_MAX && isStorableText(text);
}

/** Length in code points, as PostgreSQL and JSON Schema count it. */
function lengthOf(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}
