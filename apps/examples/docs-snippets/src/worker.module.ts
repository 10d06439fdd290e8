import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';

/** A process without HTTP: it has services and no routes. The deployment must have migrated the schema before. */
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
