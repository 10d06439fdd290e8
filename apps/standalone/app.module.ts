import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import type { StandaloneConfig } from './config.js';
import type { DatabaseHandle } from './database.js';
import { moduleOptions } from './module-options.js';

/** The governance module, imported as any host imports it, with options from the environment. */
@Module({})
export class AppModule {
  static with(config: StandaloneConfig, database: DatabaseHandle, part: { controllers: boolean }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GovernanceModule.forRoot({
          // A command runs no background workers. It leaves queued tasks to the server.
          ...moduleOptions(config, database, { workers: part.controllers }),
          controllers: part.controllers,
          health: part.controllers,
          dashboard: { sessions: true },
        }),
      ],
    };
  }
}
