import { Injectable } from '@nestjs/common';
import { BadRequestError, NotFoundError } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf, textArray } from '#database';
import type { InboundUpdate } from '../adapter/ticket-state.js';
import { ParkedUpdates } from './parked-updates.js';
import { ReportSecretError } from './report-credentials.js';
import type { ReportReceipt, ReportScope, ReportSource } from './report.js';
import { TicketReports, type Report } from './ticket-reports.js';

/**
 * One error for an unknown organization and an unknown ticket, so that the answer does not reveal which of them exists.
 */
export class ReportedTicketNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such resource.');
  }
}

/** Several connectors have a ticket with this id. */
export class AmbiguousTicketError extends BadRequestError {
  constructor() {
    const message = 'matches tickets of several connectors; add ?connector_id= to the URL';
    super(`external_ticket_id: ${message}`, [{ field: 'external_ticket_id', message }]);
  }
}

/**
 * Maximum number of tickets that one report updates; if there are more, the newest. Limits the work if a platform gives
 * one id to all tickets.
 */
const MATCHES_MAX = 50;

const IN_SCOPE = `($3::uuid is null or t.connector_id = $3) and ($4::text[] is null or t.kind = any ($4::text[]))`;

// Locks tickets in the order of their ids, like all writers of several tickets, to avoid deadlocks.
const matchesBy = (which: string) => `
select id, is_ambiguous, is_closed from (
  select id, min(connector_id::text) over () <> max(connector_id::text) over () as is_ambiguous,
    bool_or(connector_id = any ($5::uuid[])) over () as is_closed
  from ${SCHEMA}.tickets t
  where org_id = $1 and ${IN_SCOPE} and ${which}
  order by id desc limit ${MATCHES_MAX}) as newest
order by id`;

// Also finds rows of the same platform ticket under another name. The ticket may have been renamed when only some of
// its rows were updated. Platform ids are unique only within one connector.
const BY_NAME = matchesBy(`(external_ticket_id = $2 or platform_id = $6::text and connector_id in (
    select t.connector_id from ${SCHEMA}.tickets t where t.org_id = $1 and t.external_ticket_id = $2 and ${IN_SCOPE}))`);
const BY_ID = matchesBy('platform_id = $2');

interface Match {
  id: string;
  is_ambiguous: boolean;
  is_closed: boolean;
}

/** Processes reports of platforms. */
@Injectable()
export class InboundUpdates {
  constructor(
    private readonly database: OrgDatabase,
    private readonly reports: TicketReports,
    private readonly parked: ParkedUpdates,
  ) {}

  /**
   * Applies a report to its ticket. If the ticket is still being created, parks the report. If several tickets of one
   * connector are the same ticket on the platform, applies the report to all of them. A ticket that the platform has
   * renamed is found by its platform id, and gets the new name.
   * @throws ReportedTicketNotFoundError
   * @throws AmbiguousTicketError
   * @throws ReportSecretError if the ticket's connector has a secret that the report lacks
   */
  async receive(
    orgId: string,
    update: InboundUpdate,
    scope: ReportScope,
    source: ReportSource,
  ): Promise<ReportReceipt> {
    const { externalTicketId, status } = update;
    const applied = await this.apply(orgId, update, scope, source);
    if (applied) return applied;
    const place = await this.parked.park(orgId, update, scope, source);
    if (place === 'parked') return { outcome: 'parked', externalTicketId, status };
    // The ticket may have been created between the two reads.
    const late = place === 'known' ? await this.apply(orgId, update, scope, source) : undefined;
    if (!late) throw new ReportedTicketNotFoundError();
    return late;
  }

  private async apply(
    orgId: string,
    update: InboundUpdate,
    { connectorId, kinds, closed = [] }: ReportScope,
    source: ReportSource,
  ): Promise<ReportReceipt | undefined> {
    return this.database.transaction(orgId, async em => {
      const { externalTicketId, platformId } = update;
      const scope = [connectorId ?? null, kinds ? textArray(kinds, kind => kind) : null, plainArray(closed, id => id)];
      const named = await sqlOf(em).query<Match>(BY_NAME, [orgId, externalTicketId, ...scope, platformId ?? null]);
      const isMoved = named.length === 0 && platformId !== undefined;
      const matches = isMoved ? await sqlOf(em).query<Match>(BY_ID, [orgId, platformId, ...scope]) : named;
      const report: Report = platformId === undefined ? update : { ...update, movedTo: { externalTicketId } };
      if (matches[0]?.is_closed) throw new ReportSecretError();
      if (matches[0]?.is_ambiguous) throw new AmbiguousTicketError();
      let receipt: ReportReceipt | undefined;
      for (const { id } of matches) {
        const { outcome, status } = await this.reports.apply(em, orgId, id, report, source);
        // The answer contains the result for the newest ticket.
        receipt = { outcome, status, externalTicketId };
      }
      return receipt;
    });
  }
}
