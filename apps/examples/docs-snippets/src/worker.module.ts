import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';

/** A process without HTTP: the services, no routes, and a schema that a deployment has migrated before. */
@Module({})
export class WorkerModule {
  static with(databaseUrl: string, keys: string): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        GovernanceModule.forRoot({
          controllers: false,
          isGlobal: true,
          database: { url: databaseUrl, migrations: 'check', poolSize: 4 },
          keys,
        }),
      ],
    };
  }
}
