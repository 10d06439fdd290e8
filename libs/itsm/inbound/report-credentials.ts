import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, UnauthorizedError, UnavailableError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { isSameSecret, type InboundReport } from '../adapter/inbound-report.js';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { ConnectorSecrets } from '../connectors/connector-secrets.js';
import { REPORT_SECRET, WEBHOOK_SECRET, type ReportSecretName } from '../connectors/report-secret.js';
import type { ReportScope } from './report.js';

/** Header that contains the secret of a connector. */
export const REPORT_SECRET_HEADER = 'X-Report-Secret';

/** The connector has a secret, and the report does not prove that its sender knows the secret. */
export class ReportSecretError extends UnauthorizedError {
  constructor() {
    super(
      `Reports of this connector need its report_secret in the header ${REPORT_SECRET_HEADER} or as the password of ` +
        'Basic authentication, or the platform’s signature with its webhook_secret.',
    );
  }
}

/** Several connectors have this secret, so it does not identify one of them. */
class SharedSecretError extends BadRequestError {
  constructor() {
    super('Several connectors have this secret; give each its own, or add ?connector_id= to the URL.');
  }
}

const CONNECTORS = `
select id, kind, secret_names from ${SCHEMA}.itsm_connectors
where org_id = $1 and ($2::uuid is null or id = $2)`;

interface Row {
  id: string;
  kind: string;
  secret_names: string[];
}

/** Credentials of a report. */
export interface ReportProof {
  /** The value of the header {@link REPORT_SECRET_HEADER}. */
  readonly secret: string | undefined;
  /** The password of Basic authentication. A proxy may have added it, so a wrong password is ignored. */
  readonly password?: string | undefined;
  readonly report: InboundReport;
}

/** Finds the connectors to which a report may belong, by its secret or signature. */
@Injectable()
export class ReportCredentials {
  constructor(
    private readonly database: OrgDatabase,
    private readonly secrets: ConnectorSecrets,
    private readonly adapters: AdapterRegistry,
  ) {}

  /**
   * The scope of a report. If the report proves a connector's secret, the scope is that connector; otherwise, it is all
   * connectors without a secret. If a connector has two secrets, one of them is enough.
   * @param connectorId the connector that the report names, if any
   * @throws ReportSecretError if no connector is left
   * @throws SharedSecretError if several connectors have the secret
   * @throws UnavailableError if a signature cannot be checked, because the host has consumed the body
   */
  async scopeOf(orgId: string, { secret, password, report }: ReportProof, connectorId?: string): Promise<ReportScope> {
    return this.database.transaction(orgId, async em => {
      const rows = await sqlOf(em).query<Row>(CONNECTORS, [orgId, connectorId ?? null]);
      const carrying = rows.filter(row => row.secret_names.includes(REPORT_SECRET));
      const signing = rows.filter(row => row.secret_names.includes(WEBHOOK_SECRET));
      const closed = new Set([...carrying, ...signing].map(({ id }) => id));
      if (closed.size === 0) return { connectorId };
      const given = [secret, password].filter(each => each !== undefined);
      const proven = new Set([
        ...(await this.proven(em, orgId, REPORT_SECRET, given.length > 0 ? carrying : [], wanted =>
          given.some(each => isSameSecret(wanted, each)),
        )),
        ...(await this.proven(em, orgId, WEBHOOK_SECRET, signing, (wanted, row) => this.isSigned(row, report, wanted))),
      ]);
      const [only] = proven;
      if (proven.size > 1) throw new SharedSecretError();
      if (only !== undefined) return { connectorId: only, isProven: true };
      if (signing.length > 0 && report.bytes === null) throw new UnavailableError(CONSUMED);
      if (secret !== undefined || closed.size === rows.length) throw new ReportSecretError();
      // A connector without a secret needs no signature, so an invalid signature is ignored for it.
      return { connectorId, closed: [...closed] };
    });
  }

  private async proven(
    em: EntityManager,
    orgId: string,
    name: ReportSecretName,
    rows: readonly Row[],
    isProof: (wanted: string, row: Row) => boolean,
  ): Promise<string[]> {
    const owners = rows.map(({ id }) => ({ orgId, id }));
    const wanted = await this.secrets.reportSecretsOf(em, owners, name);
    return rows.flatMap((row, at) => {
      const known = wanted[at];
      return known !== undefined && isProof(known, row) ? [row.id] : [];
    });
  }

  /** An adapter of the host may throw. In that case, the signature counts as invalid. */
  private isSigned({ kind }: Row, report: InboundReport, secret: string): boolean {
    try {
      return this.adapters.named(kind)?.isSigned?.(report, secret) === true;
    } catch {
      return false;
    }
  }
}

const CONSUMED =
  'A body parser of the host consumed the report, so the signed bytes are gone; set rawBody: true in NestFactory.create.';
