import { mentions, type PersonalTable } from '#database';

/** What this library keeps about a person. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  {
    table: 'chat_links',
    key: 't.id',
    where: 't.user_id = p.user_id',
  },
  {
    table: 'chat_commands',
    key: 't.id',
    where: `exists (select from governance.chat_links l where l.org_id = t.org_id and l.platform = t.platform and l.workspace = t.workspace and l.account = t.account and l.user_id = p.user_id) or ${mentions('t.text')} or ${mentions('t.reply')}`,
    omit: ['request_hash'],
  },
  {
    table: 'tickets',
    key: 't.id',
    where: `${mentions('t.draft')} or ${mentions('t.notes')} or ${mentions('t.updated_by')} or t.incident_id in (select i.id from governance.incidents i where i.org_id = t.org_id and i.user_id = p.user_id::text)`,
  },
  {
    table: 'itsm_parked_updates',
    key: 't.external_ticket_id || t.connector_id',
    where: mentions('t.update'),
  },
];
