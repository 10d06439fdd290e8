import { Inject, Injectable } from '@nestjs/common';
import { SuppliedTokens } from '#access';
import { OrgDatabase } from '#database';
import { SecretKeys } from '#secrets';
import { GOVERNANCE_OPTIONS, type GovernanceOptions } from '../governance.options.js';
import { checkUp, type Finding } from './check-up.js';
import { operatorTokenFindings } from './operator-token.js';
import { settingFindings } from './settings.js';

/** The first organization as the settings name it. */
interface FirstOrganizationSettings {
  id?: string | undefined;
  adminToken?: string | undefined;
}

/** Examines the database and the settings of an installation. */
@Injectable()
export class Doctor {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keys: SecretKeys,
    private readonly supplied: SuppliedTokens,
    @Inject(GOVERNANCE_OPTIONS) private readonly options: GovernanceOptions,
  ) {}

  /** Every check in turn; never rejects. The operator's tokens are compared only with settings that are given. */
  async checkUp(first?: FirstOrganizationSettings): Promise<Finding[]> {
    const findings = await checkUp(this.database, this.keys);
    return [...findings, ...(first ? await this.tokenFindings(first) : []), ...settingFindings(this.options)];
  }

  private async tokenFindings(first: FirstOrganizationSettings): Promise<Finding[]> {
    try {
      return await operatorTokenFindings(this.supplied, first);
    } catch {
      // The checks of the database say why.
      return [];
    }
  }
}
