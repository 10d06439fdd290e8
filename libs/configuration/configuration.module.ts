import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { ApplyTurns } from './apply-turns.js';
import { ConfigurationService } from './configuration.service.js';
import { ConfigurationController } from './http/configuration.controller.js';
import { ConfigurationKinds } from './kinds/configuration-kind.port.js';
import { OrganizationSettings } from './kinds/organization-settings.js';

/** The configuration of an organization as one document: exported, compared and applied by name. */
@Module({})
export class ConfigurationModule {
  static readonly library: Library = {
    name: 'configuration',
    providers: [
      { provide: ConfigurationKinds, useFactory: () => new ConfigurationKinds() },
      ApplyTurns,
      ConfigurationService,
      OrganizationSettings,
    ],
    controllers: [ConfigurationController],
    entities: [],
    migrations: [],
    exports: [ConfigurationService],
  };
}
