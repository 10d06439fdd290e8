import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import { AcmeDeskAdapter } from './acme-desk.adapter.js';

/** A host whose tickets go to Acme Desk. */
@Module({})
export class DeskModule {
  static with(databaseUrl: string, keys: string): DynamicModule {
    return {
      module: DeskModule,
      imports: [
        GovernanceModule.forRoot({
          database: { url: databaseUrl, migrations: 'run' },
          keys,
          itsmAdapters: [AcmeDeskAdapter],
        }),
      ],
    };
  }
}
