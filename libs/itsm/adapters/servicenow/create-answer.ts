import type { Clock } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateOutcome } from '../../adapter/create-outcome.js';
import { asObject, objectIn, outcomeOfRefusal, quoted } from '../../adapter/platform-answer.js';
import { fieldOf, hasError, reasonIn, refOf } from './table-api.js';
import { grantFor } from './account-rights.js';
import { tableOf, type ServiceNowSettings } from './connector.js';

/**
 * Error messages of data policies name fields by label: `Data Policy Exception: The following fields are mandatory:
 * Caller, Category`.
 */
const LISTED = /fields? (?:is|are) (mandatory|read only): ([^\n]+)/i;
const SINGLE = /(?:^|Exception:)\s*([^:\n]{1,80}?) (?:is|are) (mandatory|read only)\b/im;

/** The words of access rules. Business rules and data policies refuse with 403, too. */
const NOT_AUTHORIZED = /not authorized|security constraints|insufficient rights|\bACL\b/i;

/** Outcome of a create. A create succeeded if the answer is a 201 and its JSON has a sys_id and no error. */
export function readCreated(response: AdapterResponse, settings: ServiceNowSettings, clock: Clock): CreateOutcome {
  const record = asObject(objectIn(response)?.['result']);
  const ref = record && refOf(record, settings);
  if (response.status === 201 && ref && !hasError(response)) return { kind: 'created', ref };
  const said = reasonIn(response);
  const outcome = outcomeOfRefusal(response, clock, said);
  const fields = fieldsIn(said ?? '');
  const isOfFields = outcome.kind === 'rejected' && (response.status === 400 || response.status === 403);
  if (outcome.kind === 'rejected' && response.status === 403 && NOT_AUTHORIZED.test(said ?? '')) {
    return {
      ...outcome,
      message: `${outcome.message.replace(/\.?$/, '.')} Perhaps a role is missing: ${grantFor('write', tableOf(settings))}`,
    };
  }
  if (!isOfFields || Object.keys(fields).length === 0) return outcome;
  const message = `The instance rejected a field of the incident. It says: ${quoted(said ?? '')}`;
  return { kind: 'rejected', code: 'field', message, fields };
}

/** The assignment group in the record that was created. */
export function groupIn(response: AdapterResponse): string | undefined {
  const record = asObject(objectIn(response)?.['result']);
  return record && fieldOf(record, 'assignment_group');
}

function fieldsIn(reason: string): Record<string, string> {
  const [, what, names] = LISTED.exec(reason) ?? [];
  const [, name, whatOfIt] = SINGLE.exec(reason) ?? [];
  const all = names === undefined ? (name === undefined ? [] : [name]) : names.split(',');
  const cleaned = all.map(each => quoted(each).replace(/\.$/, '')).filter(each => each !== '');
  return Object.fromEntries(cleaned.map(each => [each, `is ${what ?? whatOfIt}`]));
}
