import { Inject, Injectable } from '@nestjs/common';
import { SuppliedTokens } from '#access';
import { OrgDatabase } from '#database';
import { KeyChecks, SecretKeys } from '#secrets';
import { GOVERNANCE_OPTIONS, type GovernanceOptions } from '../governance.options.js';
import { checkUp, type Finding } from './check-up.js';
import { migrationRoleFinding } from './migration-role.js';
import { operatorTokenFindings } from './operator-token.js';
import { settingFindings } from './settings.js';

/** Settings of the first organization. */
interface FirstOrganizationSettings {
  id?: string | undefined;
  adminToken?: string | undefined;
}

/** Examines the database and the settings of a running installation. */
@Injectable()
export class Doctor {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keys: SecretKeys,
    private readonly keyChecks: KeyChecks,
    private readonly supplied: SuppliedTokens,
    @Inject(GOVERNANCE_OPTIONS) private readonly options: GovernanceOptions,
  ) {}

  /** Runs every check in order; never rejects. Compares the operator's tokens only if the settings are given. */
  async checkUp(first?: FirstOrganizationSettings): Promise<Finding[]> {
    const [findings, migrator] = await Promise.all([
      checkUp(this.database, { stored: this.keys, checks: this.keyChecks }),
      migrationRoleFinding(this.options.database),
    ]);
    // If this fails, the reason is ignored, because the checks of the database report it.
    const tokens = first ? await operatorTokenFindings(this.supplied, first).catch((): Finding[] => []) : [];
    return [...findings, migrator, ...tokens, ...settingFindings(this.options)];
  }
}
