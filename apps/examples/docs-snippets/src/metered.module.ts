import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule, PolicyModule, UsageModule } from 'nest-llm-governance';
import { Staff, StaffModule } from './staff.js';
import { StaffDirectory } from './staff.directory.js';

/** A host that uses only policies and usage. It manages its people itself. */
@Module({})
export class MeteredModule {
  static with(databaseUrl: string, keys: string): DynamicModule {
    return {
      module: MeteredModule,
      imports: [
        GovernanceModule.forRoot({
          libraries: [PolicyModule, UsageModule],
          imports: [StaffModule],
          userDirectory: { useFactory: (staff: Staff) => new StaffDirectory(staff), inject: [Staff] },
          database: { url: databaseUrl, migrations: 'run' },
          keys,
        }),
      ],
    };
  }
}
