import { defined, type JsonObject } from '#core';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { ChangePart, FoundTicket } from '../../adapter/change-ticket.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asObject, objectIn, outcomeOfRefusal, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { UpdateOutcome } from '../../adapter/ticket-change.js';
import { cutText } from '../../adapter/ticket-text.js';
import { tableOf, type ServiceNowSecrets, type ServiceNowSettings } from './connector.js';
import { weightOf } from './incident.js';
import { STATE_FIELDS, stateOf } from './incident-state.js';
import { askTable, fieldOf, hasError, reasonIn, resultIn } from './table-api.js';

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

/** Maximum length of `close_notes`, in characters. */
const CLOSE_NOTES_MAX = 4_000;

/** How records of a table are resolved and reopened. */
interface TableLife {
  /** The value of `state` that resolves a record, and the one that reopens it. */
  readonly resolve: string;
  readonly reopen: string;
  /** Default close code for resolved records. */
  readonly closeCode: string;
  /** Close codes with which people decline a record. */
  readonly declined?: RegExp;
}

/**
 * A record of another table gets only the text of a change. A security incident is resolved by the state Review, in
 * which people add lessons learned before they close it. For the close codes, see https://www.servicenow.com/docs,
 * "Close security incidents".
 */
const LIVES: ReadonlyMap<string, TableLife> = new Map([
  ['incident', { resolve: '6', reopen: '2', closeCode: 'Solution provided' }],
  [
    'sn_si_incident',
    {
      ...{ resolve: '100', reopen: '16', closeCode: 'Threat mitigated' },
      declined: /^(false[ _]positive|invalid[ _]vulnerability)$/i,
    },
  ],
]);

const GONE = 'The instance does not show the record: it was deleted, or the account may not see it.';
const CLOSED = 'The record is closed or canceled. Instances do not let such records be reopened.';

/**
 * Reads a record; null if the instance reports that it does not exist. Changes add texts as work notes, because the
 * caller of an incident cannot see these.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function readIncident(context: Context, { platformId }: TicketRef): Promise<FoundTicket | null> {
  if (platformId === undefined) throw new PlatformAnswerError('The sys_id of the incident is unknown.');
  const { settings, clock, secrets } = context;
  const table = tableOf(settings);
  const path = `${table}/${encodeURIComponent(platformId)}`;
  const answer = await askTable(context, path, { sysparm_fields: `${STATE_FIELDS},urgency,impact` });
  if (isMissing(answer)) return null;
  const record = asObject(resultIn(answer, clock)) ?? {};
  const { updatedBy, ...state } = stateOf(record, table) ?? {};
  const code = fieldOf(record, 'close_code') ?? '';
  const isDeclined = LIVES.get(table)?.declined?.test(code) === true;
  const ended = isDeclined ? `People ended the record with “${code}”, so it is not reopened.` : undefined;
  return {
    // If the connector's own account made the change, no person is named: the account is not a person, and its name is
    // a secret.
    state: 'status' in state ? { ...state, ...(updatedBy !== secrets.username && defined({ updatedBy })) } : undefined,
    declined: ended ?? ('status' in state && state.status === 'closed' ? CLOSED : undefined),
    hasPriority: severity => {
      const weight = weightOf(severity, settings.priorities);
      return ['urgency', 'impact'].every(name => fieldOf(record, name) === weight[name]);
    },
    hasText: key => hasText(context, path, key),
    write: part => write(context, path, part),
  };
}

/** Journal fields can be read only as display values. A display value contains all entries, the newest first. */
async function hasText(context: Context, path: string, key: string): Promise<boolean> {
  const parameters = { sysparm_fields: 'sys_id,work_notes,comments', sysparm_display_value: 'true' };
  const record = resultIn(await askTable(context, path, parameters), context.clock);
  if (!asObject(record)) throw new PlatformAnswerError('The instance did not return the notes of the incident.');
  return JSON.stringify(record).includes(key);
}

/** One request changes text and fields, so that the change is atomic. */
async function write(context: Context, path: string, { text = '', to, severity }: ChangePart): Promise<UpdateOutcome> {
  const { settings, clock } = context;
  // In other tables, the meaning of the states is unknown.
  const life = to && LIVES.get(tableOf(settings));
  // Between these tags, a journal field renders its text as HTML.
  const work_notes = text.replaceAll(/\[(\/?)code\]/gi, '[$1 code]');
  const state = to === 'resolved' ? life?.resolve : life?.reopen;
  const closing =
    to === 'resolved'
      ? { close_code: settings.close_code ?? life?.closeCode ?? '', close_notes: cutText(work_notes, CLOSE_NOTES_MAX) }
      : { close_code: '', close_notes: '' };
  const fields: JsonObject = severity
    ? weightOf(severity, settings.priorities)
    : { work_notes, ...(state !== undefined && { state, ...closing }) };
  const answer = await askTable(context, path, { sysparm_fields: 'sys_id,state' }, fields, 'PATCH');
  if (isMissing(answer)) return { kind: 'gone', message: GONE };
  const record = hasError(answer) ? undefined : asObject(objectIn(answer)?.['result']);
  if (answer.status !== 200 || !record) return outcomeOfChange(outcomeOfRefusal(answer, clock, reasonIn(answer)));
  if (state === undefined || fieldOf(record, 'state') === state) {
    return { kind: 'updated', ...(to && { status: to === 'resolved' ? to : 'in_progress' }) };
  }
  const message = 'The instance took the change but left the state as it was: a business rule may prevent it.';
  return { kind: 'refused', code: 'config', message };
}

function isMissing(answer: AdapterResponse): boolean {
  return answer.status === 404 && /no record found/i.test(reasonIn(answer) ?? '');
}
