import { Injectable } from '@nestjs/common';
import { knownTimeZone, OrganizationService, readInput, UpdateOrganizationDto, type Actor } from '#access';
import { BadRequestError } from '#core';
import {
  ConfigurationKinds,
  SettingsKind,
  type ConfigurationObject,
  type WantedObject,
} from './configuration-kind.port.js';

const DEFAULTS = { time_zone: 'UTC', sign_in_token_max_days: 90, fiscal_year_first_month: 1 };

/** Settings of the organization itself. They do not contain its name, because the name identifies the organization. */
@Injectable()
export class OrganizationSettings extends SettingsKind {
  override readonly kind = 'organization';
  override readonly rank = 10;
  override readonly reads = ['organization:read'] as const;
  override readonly writes = 'organization:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly organizations: OrganizationService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const { timeZone, signInTokenMaxDays, fiscalYearFirstMonth } = await this.organizations.get(orgId);
    const fields = {
      time_zone: timeZone,
      sign_in_token_max_days: signInTokenMaxDays,
      fiscal_year_first_month: fiscalYearFirstMonth,
    };
    return [{ id: orgId, name: this.kind, fields }];
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const { name, time_zone: zone, ...numbers } = readInput(UpdateOrganizationDto, entry, 'body');
    if (name !== undefined)
      throw BadRequestError.field('name', 'cannot be configured; rename the organization instead');
    const fields = { ...DEFAULTS, ...numbers, time_zone: knownTimeZone(zone) ?? DEFAULTS.time_zone };
    return { name: this.kind, fields };
  }

  override async update(actor: Actor, _id: string, { fields }: WantedObject): Promise<void> {
    const wanted = readInput(UpdateOrganizationDto, fields, 'body');
    await this.organizations.update(actor, {
      timeZone: wanted.time_zone ?? DEFAULTS.time_zone,
      signInTokenMaxDays: wanted.sign_in_token_max_days ?? DEFAULTS.sign_in_token_max_days,
      fiscalYearFirstMonth: wanted.fiscal_year_first_month ?? DEFAULTS.fiscal_year_first_month,
    });
  }
}
