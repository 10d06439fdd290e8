import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKinds, SettingsKind, type ConfigurationObject, type WantedObject } from '#configuration';
import { AnomalySettingsDto, settingsFrom } from '../http/anomaly-settings.dto.js';
import { AnomalySettingsService } from '../settings/anomaly-settings.service.js';
import { DEFAULT_ANOMALY_SETTINGS, settingsView } from '../settings/anomaly-settings.js';

/** The settings of anomaly detection in configuration files. */
@Injectable()
export class AnomalyConfiguration extends SettingsKind {
  override readonly kind = 'anomaly_settings';
  override readonly rank = 90;
  override readonly reads = ['anomalies:read'] as const;
  override readonly writes = 'anomalies:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly settings: AnomalySettingsService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const { settings } = await this.settings.get(orgId);
    return [{ id: orgId, name: this.kind, fields: settingsView(settings) }];
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const settings = settingsFrom(readInput(AnomalySettingsDto, entry, 'body'), DEFAULT_ANOMALY_SETTINGS);
    return { name: this.kind, fields: settingsView(settings) };
  }

  override async update(actor: Actor, _id: string, { fields }: WantedObject): Promise<void> {
    const wanted = readInput(AnomalySettingsDto, fields, 'body');
    await this.settings.change(actor, () => settingsFrom(wanted, DEFAULT_ANOMALY_SETTINGS));
  }
}
