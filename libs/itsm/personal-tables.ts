import { mentions, scrubbed, scrubbedJson, type PersonalTable } from '#database';

const LINKED = `exists (
  select from governance.chat_links l where l.org_id = t.org_id and l.platform = t.platform
    and l.workspace = t.workspace and l.account = t.account and l.user_id = p.user_id)`;

/** Columns of a ticket that may contain texts that people wrote, or that are about people. */
const TEXTS = ['url', 'error', 'resolution', 'notes', 'updated_by', 'matter', 'change_error'] as const;
const JSON_TEXTS = ['draft', 'error_fields', 'told', 'change'] as const;
const ALL_TEXTS = [...TEXTS, ...JSON_TEXTS].map(column => mentions(`t.${column}`)).join(' or ');

/** The personal data that this library stores. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'chat_commands',
    key: 't.id',
    where: `${LINKED} or t.account ~* p.names or ${mentions('t.text')} or ${mentions('t.reply')}`,
    omit: ['request_hash'],
    erase: {
      set: {
        account: scrubbed('t.account'),
        text: scrubbed('t.text'),
        reply: scrubbed('t.reply'),
        address: `case when t.account ~* p.names then null else t.address end`,
      },
    },
  },
  {
    table: 'chat_links',
    key: 't.id',
    where: 't.user_id = p.user_id',
    names: 'array[t.account]',
    erase: 'delete',
  },
  {
    table: 'tickets',
    key: 't.id',
    where: `${ALL_TEXTS} or t.incident_id in (select i.id from governance.incidents i where i.org_id = t.org_id and i.user_id = p.user_id::text)`,
    erase: {
      set: {
        ...Object.fromEntries(TEXTS.map(column => [column, scrubbed(`t.${column}`)])),
        ...Object.fromEntries(JSON_TEXTS.map(column => [column, scrubbedJson(`t.${column}`)])),
      },
    },
  },
  {
    table: 'itsm_parked_updates',
    key: 't.external_ticket_id || t.connector_id',
    where: `${mentions('t.update')} or ${mentions('t.source')}`,
    erase: 'delete',
  },
];
