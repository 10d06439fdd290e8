import { Inject, Injectable } from '@nestjs/common';
import { SuppliedTokens } from '#access';
import { OrgDatabase } from '#database';
import { KeyChecks, SecretKeys } from '#secrets';
import { GOVERNANCE_OPTIONS, type GovernanceOptions } from '../governance.options.js';
import { checkUp, type Finding } from './check-up.js';
import { operatorTokenFindings } from './operator-token.js';
import { settingFindings } from './settings.js';

/** The first organization as the settings name it. */
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

  /** Every check in turn; never rejects. The operator's tokens are compared only with settings that are given. */
  async checkUp(first?: FirstOrganizationSettings): Promise<Finding[]> {
    const findings = await checkUp(this.database, { stored: this.keys, checks: this.keyChecks });
    // The checks of the database say why nothing is known of tokens.
    const tokens = first ? await operatorTokenFindings(this.supplied, first).catch((): Finding[] => []) : [];
    return [...findings, ...tokens, ...settingFindings(this.options)];
  }
}
