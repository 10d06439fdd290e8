import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { CallEnds } from './call-ends.js';
import { CallLedger } from './call-ledger.js';
import { CallMarks } from './call-marks.js';
import { CallRecovery } from './call-recovery.js';
import { EndedCalls } from './ended-calls.js';
import { GovernedCalls } from './governed-calls.js';
import { OpenPassesController } from './http/open-passes.controller.js';
import { LiveCalls } from './live-calls.js';
import { OpenCallsMigration0550 } from './migrations/0550-open-calls.migration.js';
import { OpenPasses } from './open-passes.js';
import { StoredCallLedger } from './stored-call-ledger.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Calls to providers, governed from the decision to the recorded usage. */
@Module({})
export class CallsModule {
  static readonly library: Library = {
    name: 'calls',
    providers: [
      CallEnds,
      { provide: CallLedger, useClass: StoredCallLedger },
      CallMarks,
      CallRecovery,
      EndedCalls,
      GovernedCalls,
      LiveCalls,
      OpenPasses,
    ],
    requires: [DecisionService, UsageIngestion],
    controllers: [OpenPassesController],
    entities: [],
    migrations: [{ name: '0550_open_calls', class: OpenCallsMigration0550, tables: ['open_calls'] }],
    personal: PERSONAL_TABLES,
    exports: [GovernedCalls],
  };
}
