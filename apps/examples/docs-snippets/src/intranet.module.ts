import { Module, type DynamicModule } from '@nestjs/common';
import { GovernanceModule } from 'nest-llm-governance';
import { Completions } from './completions.js';
import { ContractPrices } from './contract.prices.js';
import { ProbesController } from './probes.controller.js';
import { SessionPrincipals } from './session.principals.js';
import { StaffDirectory } from './staff.directory.js';
import { StaffModule } from './staff.js';
import { UnderOperator } from './under.operator.js';
import { ViolationsListener } from './violations.listener.js';

/** A host that uses its own people, sign-in, prices and operator. */
@Module({})
export class IntranetModule {
  static with(databaseUrl: string, keys: string): DynamicModule {
    return {
      module: IntranetModule,
      imports: [
        StaffModule,
        GovernanceModule.forRootAsync({
          // This module exports the services that the classes below inject.
          imports: [StaffModule],
          userDirectory: StaffDirectory,
          principalResolver: SessionPrincipals,
          pricingCatalog: ContractPrices,
          conditionOperators: [UnderOperator],
          path: 'governance',
          useFactory: () => ({
            database: { url: databaseUrl, migrations: 'run' },
            keys,
            decisions: { defaultAction: 'block', unknownUser: 'evaluate' },
          }),
        }),
      ],
      controllers: [ProbesController],
      providers: [Completions, ViolationsListener],
      exports: [Completions],
    };
  }
}
