import { Injectable } from '@nestjs/common';
import type { JsonObject } from '#core';
import { AccessTokens } from '../../adapter/access-tokens.js';
import { ApiAdapter, type Finding, type Look } from '../../adapter/api-adapter.js';
import type { FoundTicket } from '../../adapter/change-ticket.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { PlatformAnswerError, refusal } from '../../adapter/platform-answer.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { BASIC_AUTHENTICATION_ROLE, grantFor } from './account-rights.js';
import { AssignmentGroups } from './assignment-group.js';
import {
  SECRETS_SCHEMA,
  SETTINGS_SCHEMA,
  tableOf,
  type ServiceNowSecrets,
  type ServiceNowSettings,
} from './connector.js';
import { groupIn, readCreated } from './create-answer.js';
import { readReport } from './incident-state.js';
import { readIncident } from './incident-update.js';
import { renderIncident } from './incident.js';
import { askTable, fieldOf, grantOf, hidesRecords, recordsIn, refOf } from './table-api.js';
import { lookAtColumns } from './table-columns.js';

type Context = AdapterContext<ServiceNowSettings, ServiceNowSecrets>;

/** Maximum number of records that are read. A key never has this many records. */
const MOST_OF_ONE_KEY = 50;

function hidden(table: string): string {
  return `The instance has the ticket but hides it from this account: ${grantFor('read', table)}`;
}

const BASIC_AUTHENTICATION =
  'If they are right, select “Web service access only” for the user, or grant it the role ' +
  `${BASIC_AUTHENTICATION_ROLE}: new instances refuse Basic authentication to other accounts.`;

const CREATED_FIELDS = 'sys_id,number,state,priority,assignment_group,sys_updated_on';

/** Adapter for incidents in ServiceNow, by its Table API with Basic authentication or OAuth. */
@Injectable()
export class ServiceNowAdapter extends ApiAdapter<ServiceNowSettings, ServiceNowSecrets> {
  readonly kind = 'servicenow';
  readonly title = 'ServiceNow';
  readonly settingsSchema = SETTINGS_SCHEMA;
  readonly secretsSchema = SECRETS_SCHEMA;
  readonly capabilities = { priority: true, labels: false, comment: true, findByKey: 'strong' } as const;
  private readonly groups = new AssignmentGroups();
  private readonly tokens = new AccessTokens();

  override origins({ instance_url }: ServiceNowSettings): readonly string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, settings: ServiceNowSettings): RenderedTicket {
    return renderIncident(draft, settings);
  }

  protected override looks(given: Context): readonly Look[] {
    const context = this.signedIn(given);
    const table = tableOf(context.settings);
    return [
      [`The account can read the table ${table}`, () => lookAtTable(context, table)],
      ['The assignment group exists', () => this.groups.look(context)],
      ['The table has the further fields', () => lookAtColumns(context)],
    ];
  }

  override async create(given: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const context = this.signedIn(given);
    const { assignment_group: _name, ...body } = ticket.body;
    const group = await this.groups.resolve(context);
    if (group && 'outcome' in group) return group.outcome;
    const sent: JsonObject = { ...body, ...(group && 'sysId' in group && { assignment_group: group.sysId }) };
    const response = await askTable(context, tableOf(context.settings), { sysparm_fields: CREATED_FIELDS }, sent);
    const outcome = readCreated(response, context.settings, context.clock);
    if (outcome.kind !== 'created' || group === undefined) return outcome;
    if ('problem' in group) return { ...outcome, degraded: [group.problem] };
    if (groupIn(response) === group.sysId) return outcome;
    this.groups.forget(context);
    return { ...outcome, degraded: ['The instance did not assign the incident to the group.'] };
  }

  protected override async search(context: Context, key: string): Promise<TicketRef[]> {
    const response = await askTable(this.signedIn(context), tableOf(context.settings), {
      // The query does not sort. Sorting would need a permission (query ACL) that a comparison for equality does not
      // need.
      sysparm_query: `correlation_id=${key}`,
      sysparm_fields: 'sys_id,number,correlation_id,sys_created_on',
      sysparm_limit: String(MOST_OF_ONE_KEY),
    });
    const records = recordsIn(response, context.clock);
    if (hidesRecords(response, records))
      throw new PlatformAnswerError(hidden(tableOf(context.settings)), { code: 'forbidden' });
    // If an instance does not understand a query term, it ignores the term and returns all records.
    const found = records.filter(record => fieldOf(record, 'correlation_id') === key).toSorted(newestFirst);
    return found.map(record => refOf(record, context.settings)).filter(ref => ref !== undefined);
  }

  protected override read(context: Context, ref: TicketRef): Promise<FoundTicket | null> {
    return readIncident(this.signedIn(context), ref);
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    return readReport(body);
  }

  /** Adds the access token to requests if the connector has an OAuth client. */
  private signedIn(context: Context): Context {
    const grant = grantOf(context);
    return grant ? { ...context, http: this.tokens.http(context, grant) } : context;
  }
}

async function lookAtTable(context: Context, table: string): Promise<Finding> {
  const response = await askTable(context, table, { sysparm_fields: 'sys_id', sysparm_limit: '1' });
  const { status } = response;
  if (status === 401 && context.secrets.client_id === undefined) {
    return { failed: `${refusal(response).message} ${BASIC_AUTHENTICATION}` };
  }
  if (status === 403) return { failed: `The account may not read the table: ${grantFor('read', table)}` };
  recordsIn(response, context.clock);
  return 'The instance responds. The test ticket shows whether the account can write there.';
}

/** The times of the instance can be sorted as text. Within the same second, the record number decides. */
function newestFirst(a: JsonObject, b: JsonObject): number {
  const by = (name: string): number => (fieldOf(b, name) ?? '').localeCompare(fieldOf(a, name) ?? '');
  return by('sys_created_on') || by('number');
}
