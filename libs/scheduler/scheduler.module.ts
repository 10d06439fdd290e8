import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { Scheduler } from './scheduler.js';

/** Scheduled jobs of all libraries. */
@Module({})
export class SchedulerModule {
  static readonly library: Library = {
    name: 'scheduler',
    providers: [Scheduler],
    controllers: [],
    entities: [],
    migrations: [],
    exports: [],
  };
}
