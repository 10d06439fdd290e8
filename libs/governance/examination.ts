import { AuditChainReader, type ChainReport, SuppliedTokenLookup } from '#access';
import { type Keyring, parseKeyring } from '#core';
import { openOrm, OrgDatabase, SCHEMA } from '#database';
import { EnvelopeCipher, KeyChecks, SecretKeys } from '#secrets';
import { checkedValues } from './check-options.js';
import { MIGRATIONS } from './composition/libraries.js';
import type { GovernanceOptions } from './governance.options.js';
import { checkUp, type Finding } from './doctor/check-up.js';
import { migrationRoleFinding } from './doctor/migration-role.js';
import { operatorTokenFindings } from './doctor/operator-token.js';
import { settingFindings } from './doctor/settings.js';

/**
 * Examines an installation without starting it. Runs no migration, no write and no background work. Also works if the
 * app does not start. Assumes that secrets are encrypted with `keys`, which is the default without a `secretCipher`.
 */
export class Examination {
  private constructor(
    private readonly options: GovernanceOptions,
    private readonly database: OrgDatabase,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Checks the options. Opens no connection yet.
   * @throws InvalidGovernanceOptionsError
   */
  static async open(options: GovernanceOptions): Promise<Examination> {
    const checked = checkedValues(options);
    const url = readOnly(checked.database.url);
    const database = new OrgDatabase(await openOrm({ ...checked.database, url, poolSize: 2 }, []), MIGRATIONS);
    return new Examination(checked, database, parseKeyring(checked.keys));
  }

  /** Runs every check in order; never rejects. Compares the operator's tokens only if the settings are given. */
  async checkUp(first?: { id?: string | undefined; adminToken?: string | undefined }): Promise<Finding[]> {
    const [findings, migrator] = await Promise.all([
      checkUp(this.database, {
        stored: new SecretKeys(this.database, new EnvelopeCipher(this.keyring)),
        checks: new KeyChecks(this.database, this.keyring),
      }),
      migrationRoleFinding(this.options.database),
    ]);
    // The database checks report why the tokens cannot be checked.
    const lookup = new SuppliedTokenLookup(this.database);
    const tokens = first ? await operatorTokenFindings(lookup, first).catch((): Finding[] => []) : [];
    return [...findings, migrator, ...tokens, ...settingFindings(this.options)];
  }

  /** Ids of all organizations, oldest first. */
  async organizationIds(): Promise<string[]> {
    const rows = await this.database.global<{ id: string }>(`select id from ${SCHEMA}.organization_ids() as id`);
    return rows.map(({ id }) => id);
  }

  /** Checks an audit log in the same way as `GovernanceOperations.verifyAudit`. */
  verifyAudit(orgId: string, options: { expect?: string | undefined } = {}): Promise<ChainReport> {
    return new AuditChainReader(this.database, this.keyring).verify(orgId, options);
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.database.close();
  }
}

/** Changes a URL so that its connections are read-only. */
function readOnly(url: string): string {
  const changed = new URL(url);
  const given = changed.searchParams.get('options') ?? '';
  changed.searchParams.set('options', `${given} -c default_transaction_read_only=on`.trim());
  return changed.href;
}
