import { randomUUID } from 'node:crypto';
import { OrgDatabase } from '#database';
import { ConnectorSecrets } from '../../../libs/itsm/connectors/connector-secrets.js';
import type { TestApp } from '../test-app.js';

/** Inserts a connector as if it had been set up through the API. */
export async function putConnector(
  app: TestApp,
  orgId: string,
  {
    kind = 'reporting',
    name = `Connector ${randomUUID()}`,
    active = true,
  }: Partial<Record<'kind' | 'name', string>> & { active?: boolean } = {},
): Promise<string> {
  const id = randomUUID();
  await app.database.asOwner(
    `insert into governance.itsm_connectors
       (org_id, id, kind, name, active, settings, secret_names, created_at, updated_at)
     values ($1, $2, $3, $4, $5, '{}', '{}', $6, $6)`,
    [orgId, id, kind, name, active, app.clock.now()],
  );
  await app.app.get(OrgDatabase).transaction(orgId, em => app.app.get(ConnectorSecrets).put(em, { orgId, id }, [], {}));
  return id;
}

/** A ticket to insert into the database. */
export interface PutTicket {
  connectorId: string;
  kind?: string;
  incidentId?: string | null;
  /** The platform's id. If it is left out, the ticket is still being created. */
  externalTicketId?: string;
  platformId?: string;
  syncState?: 'pending' | 'created' | 'uncertain' | 'rejected';
  status?: string;
}

/** Inserts a ticket that looks requested. With an external id, it looks created. */
export async function putTicket(app: TestApp, orgId: string, ticket: PutTicket): Promise<string> {
  const { connectorId, kind = 'reporting', incidentId = null, externalTicketId } = ticket;
  const id = randomUUID();
  const isCreated = externalTicketId !== undefined;
  await app.database.asOwner(
    `insert into governance.tickets (org_id, id, incident_id, connector_id, kind, origin, draft, sync_state,
       external_ticket_id, status, created_at, updated_at, platform_id)
     values ($1, $2, $3, $4, $5, 'manual', '{"title":"t","severity":"high","labels":[],"payload":{},"link":null}', $6, $7,
       $8, $9, $9, $10)`,
    [
      ...[orgId, id, incidentId, connectorId, kind, ticket.syncState ?? (isCreated ? 'created' : 'pending')],
      ...[externalTicketId ?? null, ticket.status ?? (isCreated ? 'open' : null), app.clock.now()],
      ticket.platformId ?? null,
    ],
  );
  return id;
}

/**
 * Inserts the task of a ticket. With a lease, an attempt is running or was aborted. Without a lease, the task waits.
 * `dueInMs`: milliseconds until the task is due or its lease expires.
 */
export async function putTask(
  app: TestApp,
  orgId: string,
  ticket: { id: string; connectorId: string },
  { isLeased = false, phase = 'create', dueInMs = 60_000 } = {},
): Promise<void> {
  await app.database.asOwner(
    `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, lease_token, subject)
     values ($1, $2, 'itsm', $3, governance.now() + $4 * interval '1 millisecond', 1, $5, $6)
     on conflict (org_id, id) do update set due_at = excluded.due_at, lease_token = excluded.lease_token,
       subject = excluded.subject`,
    [orgId, ticket.id, ticket.connectorId, dueInMs, isLeased ? randomUUID() : null, { phase }],
  );
}

/** A stored ticket. */
export async function ticketRow(app: TestApp, id: string): Promise<Record<string, unknown>> {
  const [row] = await app.database.asOwner('select * from governance.tickets where id = $1', [id]);
  if (!row) throw new Error(`no ticket ${id}`);
  return row;
}

/** The audit entries about a resource, oldest first. */
export async function auditOf(app: TestApp, resourceId: string): Promise<Record<string, unknown>[]> {
  return app.database.asOwner('select * from governance.audit_log where resource_id = $1 order by seq', [resourceId]);
}
