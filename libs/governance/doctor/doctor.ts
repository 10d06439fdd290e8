import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { SecretKeys } from '#secrets';
import { GOVERNANCE_OPTIONS, type GovernanceOptions } from '../governance.options.js';
import { checkUp, type Finding } from './check-up.js';
import { settingFindings } from './settings.js';

/** Examines the database and the settings of an installation. */
@Injectable()
export class Doctor {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keys: SecretKeys,
    @Inject(GOVERNANCE_OPTIONS) private readonly options: GovernanceOptions,
  ) {}

  /** Every check in turn; never rejects. */
  async checkUp(): Promise<Finding[]> {
    return [...(await checkUp(this.database, this.keys)), ...settingFindings(this.options)];
  }
}
