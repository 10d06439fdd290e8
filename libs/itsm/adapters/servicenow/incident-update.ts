import type { JsonObject } from '#core';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asObject, objectIn, outcomeOfRefusal, PlatformAnswerError } from '../../adapter/platform-answer.js';
import { isDeclined, type TicketChange, type UpdateOutcome } from '../../adapter/ticket-change.js';
import { cutText } from '../../adapter/ticket-text.js';
import { tableOf, type ServiceNowSecrets, type ServiceNowSettings } from './connector.js';
import { weightOf } from './incident.js';
import { stateOf } from './incident-state.js';
import { askTable, fieldOf, hasError, reasonIn, resultIn } from './table-api.js';

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

const FIELDS = 'sys_id,number,state,active,close_code,urgency,impact';

/** Most characters of `close_notes`. */
const CLOSE_NOTES_MAX = 4_000;

/** How records of a table are resolved and reopened. */
interface TableLife {
  /** States by which a record is resolved, and open again. */
  readonly resolve: string;
  readonly reopen: string;
  /** Close code of records that are resolved, if the connector names none. */
  readonly closeCode: string;
  /** Close codes by which people say that there was nothing to solve. */
  readonly declined?: RegExp;
}

/**
 * Of other tables only the text is added. Security incidents are resolved in the state Review, in which people add what they
 * learned, and close them; their close codes are those of https://www.servicenow.com/docs, "Close security incidents".
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
 * Makes one change of a record. Text and fields are one request, so both arrive or neither does. The text is a work note,
 * which the caller of an incident does not see.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function updateIncident(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
  if (ref.platformId === undefined) throw new PlatformAnswerError('The sys_id of the incident is unknown.');
  const path = `${tableOf(context.settings)}/${encodeURIComponent(ref.platformId)}`;
  const answer = await askTable(context, path, { sysparm_fields: FIELDS });
  if (isMissing(answer)) return { kind: 'gone', message: GONE };
  const record = asObject(resultIn(answer, context.clock));
  if (!record || fieldOf(record, 'state') === undefined) {
    throw new PlatformAnswerError('The instance did not return the state of the incident.');
  }
  const wanted = fieldsFor(context, record, change);
  if ('outcome' in wanted) return wanted.outcome;
  if (change.repeated && change.text !== '' && (await hasText(context, path, change.key))) return done(change);
  return send(context, path, wanted.fields, change);
}

type Wanted = { readonly fields: JsonObject } | { readonly outcome: UpdateOutcome };

function fieldsFor({ settings }: Context, record: JsonObject, change: TicketChange): Wanted {
  const { kind } = change;
  // Journal fields show what stands between these tags as HTML.
  const text = change.text.replaceAll(/\[(\/?)code\]/gi, '[$1 code]');
  if (kind === 'priority') return weights(settings, record, change);
  const table = tableOf(settings);
  const status = stateOf(record, table)?.status;
  const isOver = status === 'resolved' || status === 'closed';
  const fields: JsonObject = { work_notes: text };
  if (kind === 'comment' || isOver === (kind === 'resolve')) return { fields };
  const life = LIVES.get(table);
  if (kind === 'reopen') {
    const code = fieldOf(record, 'close_code');
    if (isDeclined(code) || life?.declined?.test(code ?? '')) {
      const message = `People ended the record with “${code ?? ''}”, so it is not reopened.`;
      return { outcome: { kind: 'refused', code: 'declined', message } };
    }
    if (status === 'closed') return { outcome: { kind: 'refused', code: 'declined', message: CLOSED } };
  }
  // What a state of another table means is not known.
  if (!life) return { fields };
  if (kind === 'reopen') return { fields: { ...fields, state: life.reopen, close_code: '', close_notes: '' } };
  const closing = {
    close_code: settings.close_code ?? life.closeCode,
    close_notes: cutText(text, CLOSE_NOTES_MAX),
  };
  return { fields: { ...fields, state: life.resolve, ...closing } };
}

/** The instance makes the priority from both. Values that are not those that were last set are the choice of people. */
function weights({ priorities }: ServiceNowSettings, record: JsonObject, change: TicketChange): Wanted {
  const [from, to] = [change.severityBefore, change.severity].map(each => weightOf(each, priorities));
  const isAt = (weight: JsonObject | undefined): boolean =>
    fieldOf(record, 'urgency') === weight?.['urgency'] && fieldOf(record, 'impact') === weight?.['impact'];
  if (isAt(to)) return { outcome: { kind: 'updated' } };
  if (isAt(from)) return { fields: { ...to } };
  const kept = 'People changed urgency or impact, so they were not raised.';
  return { outcome: { kind: 'updated', kept } };
}

/** Journal fields are shown in a display value only: all entries, the newest first. */
async function hasText(context: Context, path: string, key: string): Promise<boolean> {
  const parameters = { sysparm_fields: 'sys_id,work_notes,comments', sysparm_display_value: 'true' };
  const record = resultIn(await askTable(context, path, parameters), context.clock);
  if (!asObject(record)) throw new PlatformAnswerError('The instance did not return the notes of the incident.');
  return JSON.stringify(record).includes(key);
}

async function send(context: Context, path: string, fields: JsonObject, change: TicketChange): Promise<UpdateOutcome> {
  const answer = await askTable(context, path, { sysparm_fields: FIELDS }, fields, 'PATCH');
  const record = asObject(objectIn(answer)?.['result']);
  if (answer.status === 200 && record && !hasError(answer)) {
    const state = fields['state'];
    if (state === undefined || fieldOf(record, 'state') === state) return done(change);
    const message = 'The instance took the change but left the state as it was: a business rule may prevent it.';
    return { kind: 'refused', code: 'config', message };
  }
  if (isMissing(answer)) return { kind: 'gone', message: GONE };
  return outcomeOfChange(outcomeOfRefusal(answer, context.clock, reasonIn(answer)));
}

function done({ kind }: TicketChange): UpdateOutcome {
  if (kind === 'resolve') return { kind: 'updated', status: 'resolved' };
  return kind === 'reopen' ? { kind: 'updated', status: 'in_progress' } : { kind: 'updated' };
}

function isMissing(answer: AdapterResponse): boolean {
  return answer.status === 404 && /no record found/i.test(reasonIn(answer) ?? '');
}
