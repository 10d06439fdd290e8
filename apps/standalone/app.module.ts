import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import type { StandaloneConfig } from './config.js';

/** The module as any host imports it, with options from the environment. */
@Module({})
export class AppModule {
  static with(config: StandaloneConfig, databaseUrl: string, part: { controllers: boolean }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GovernanceModule.forRoot({
          database: { url: databaseUrl, migrations: 'run' },
          keys: config.keys,
          requestsPerMinute: config.requestsPerMinute,
          trustedProxies: config.trustedProxies,
          identityProviders: config.identityProviders,
          controllers: part.controllers,
          health: part.controllers,
        }),
      ],
    };
  }
}
