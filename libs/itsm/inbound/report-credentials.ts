import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BadRequestError, UnauthorizedError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { ConnectorSecrets } from '../connectors/connector-secrets.js';
import { REPORT_SECRET } from '../connectors/report-secret.js';
import type { ReportScope } from './report.js';

/** Header in which platforms send the secret of a connector. */
export const REPORT_SECRET_HEADER = 'X-Report-Secret';

/** The connector has a secret, and the report does not carry it. */
export class ReportSecretError extends UnauthorizedError {
  constructor() {
    super(`Reports of this connector need its report_secret; send it in the header ${REPORT_SECRET_HEADER}.`);
  }
}

/** Several connectors have the secret, so it does not say which one the report is about. */
class SharedSecretError extends BadRequestError {
  constructor() {
    super('Several connectors have this report_secret; give each its own, or add ?connector_id= to the URL.');
  }
}

const CONNECTORS = `
select id, '${REPORT_SECRET}' = any (secret_names) as needs_secret from ${SCHEMA}.itsm_connectors
where org_id = $1 and ($2::uuid is null or id = $2)`;

/** Tells which connectors a report may be about, by the secret that it carries. */
@Injectable()
export class ReportCredentials {
  constructor(
    private readonly database: OrgDatabase,
    private readonly secrets: ConnectorSecrets,
  ) {}

  /**
   * The tickets that a report may be about: those of the connector whose secret it carries, else those of the connectors
   * that have none.
   * @param connectorId the connector that the report names, if any
   * @throws ReportSecretError where no connector is left, SharedSecretError where that is not clear
   */
  async scopeOf(orgId: string, secret: string | undefined, connectorId?: string): Promise<ReportScope> {
    return this.database.transaction(orgId, async em => {
      const rows = await sqlOf(em).query<{ id: string; needs_secret: boolean }>(CONNECTORS, [
        orgId,
        connectorId ?? null,
      ]);
      const closed = rows.filter(row => row.needs_secret).map(row => row.id);
      if (closed.length === 0) return { connectorId };
      if (secret !== undefined) {
        const wanted = await this.secrets.reportSecretsOf(
          em,
          closed.map(id => ({ orgId, id })),
        );
        const proven = closed.filter((_, at) => isSame(wanted[at], secret));
        if (proven.length > 1) throw new SharedSecretError();
        if (proven.length === 1) return { connectorId: proven[0] };
        throw new ReportSecretError();
      }
      if (closed.length === rows.length) throw new ReportSecretError();
      return { connectorId, closed };
    });
  }
}

/** In constant time, also where the lengths differ. */
function isSame(wanted: string | undefined, given: string): boolean {
  return wanted !== undefined && timingSafeEqual(digest(wanted), digest(given));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
