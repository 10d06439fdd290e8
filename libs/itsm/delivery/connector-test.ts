import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { OrgDatabase } from '#database';
import type { Check } from '../adapter/itsm-adapter.port.js';
import { ConnectorInactiveError, ConnectorNotFoundError } from '../connectors/connector.errors.js';
import { findConnector } from '../connectors/connector.service.js';
import type { ShownTicket } from '../tickets/ticket-rows.js';
import { ConnectorChecks } from './connector-checks.js';
import { ReadyConnectors } from './ready-connectors.js';
import { TestTickets } from './test-tickets.js';

/** Result of a test. */
export interface TestedConnector {
  readonly checks: readonly Check[];
  /** The test ticket. Null if a check failed, because then no ticket was created. */
  readonly ticket: ShownTicket | null;
}

/** Tests connectors: runs the checks, creates a test ticket, and checks whether the account can see it. */
@Injectable()
export class ConnectorTest {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly connectors: ReadyConnectors,
    private readonly checks: ConnectorChecks,
    private readonly tickets: TestTickets,
  ) {}

  /**
   * Tests a connector. If the test succeeds, the stored problem of the connector is cleared.
   * @throws ConnectorNotFoundError
   * @throws ConnectorInactiveError
   * @throws AdapterMissingError
   */
  async test(actor: Actor, id: string): Promise<TestedConnector> {
    const { orgId } = actor;
    const connector = await this.database.transaction(orgId, async em => {
      const { name, active } = await findConnector(em, orgId, id);
      if (!active) throw new ConnectorInactiveError();
      const ready = (await this.connectors.read(em, orgId, [id])).get(id);
      if (!ready) throw new ConnectorNotFoundError(id);
      return { ...ready, name };
    });
    const checks = await this.checks.run(connector);
    const isReady = checks.every(({ status }) => status !== 'failed');
    const opened = isReady ? await this.tickets.open(connector) : null;
    const ticket = opened?.ticket ?? null;
    if (opened && opened.ticket.sync_state !== 'rejected') {
      checks.push(...(await this.checks.readBack(connector, { key: opened.ticket.id, ref: opened.ref })));
    }
    const isSeen = checks.every(({ status }) => status !== 'failed');
    await this.database.transaction(orgId, em =>
      this.audit.append(em, actor, {
        action: 'itsm_connector.tested',
        resourceType: 'itsm_connector',
        resourceId: id,
        before: null,
        after: { checks_passed: isSeen, ticket_id: ticket?.id ?? null, sync_state: ticket?.sync_state ?? null },
      }),
    );
    return { checks, ticket };
  }
}
