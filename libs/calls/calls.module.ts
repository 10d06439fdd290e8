import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { DecisionService } from '#policy';
import { UsageIngestion } from '#usage';
import { GovernedCalls } from './governed-calls.js';

/** Calls to providers, governed from the decision to the settlement. */
@Module({})
export class CallsModule {
  static readonly library: Library = {
    name: 'calls',
    providers: [GovernedCalls],
    requires: [DecisionService, UsageIngestion],
    controllers: [],
    entities: [],
    migrations: [],
    exports: [GovernedCalls],
  };
}
