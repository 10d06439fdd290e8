import { Module } from '@nestjs/common';
import { Clock, CursorSealer } from '#core';
import { ChangeFeed } from './change-feed.js';
import { DATABASE_OPTIONS, type DatabaseOptions } from './database.options.js';
import { KeysetLists } from './keyset/keyset-lists.js';
import type { Library } from './library.js';
import { DatabaseMigration0100 } from './migrations/0100-database.migration.js';
import { Notifications } from './notifications.js';
import { OrgDatabase } from './org-database.js';
import { PoolMetrics } from './pool-metrics.js';
import { ReportSources } from './report-sources.js';

/** Connections, the change feed, keyset lists, and their migrations. */
@Module({})
export class DatabaseModule {
  static readonly library: Library = {
    name: 'database',
    providers: [
      {
        provide: Notifications,
        inject: [DATABASE_OPTIONS],
        useFactory: (options: DatabaseOptions) => new Notifications(options),
      },
      {
        provide: ChangeFeed,
        inject: [OrgDatabase, DATABASE_OPTIONS, Notifications],
        useFactory: (database: OrgDatabase, options: DatabaseOptions, notifications: Notifications) =>
          new ChangeFeed(database, options, notifications),
      },
      {
        provide: KeysetLists,
        inject: [OrgDatabase, CursorSealer, Clock],
        useFactory: (database: OrgDatabase, cursors: CursorSealer, clock: Clock) =>
          new KeysetLists(database, cursors, clock),
      },
      {
        provide: ReportSources,
        inject: [OrgDatabase, KeysetLists, DATABASE_OPTIONS, CursorSealer, Clock],
        useFactory: (
          database: OrgDatabase,
          lists: KeysetLists,
          options: DatabaseOptions,
          cursors: CursorSealer,
          clock: Clock,
        ) => ReportSources.open({ database, lists }, options, cursors, clock),
      },
      { provide: PoolMetrics, inject: [OrgDatabase], useFactory: (database: OrgDatabase) => new PoolMetrics(database) },
    ],
    controllers: [],
    entities: [],
    migrations: [{ name: '0100_database', class: DatabaseMigration0100, tables: ['change_marks'] }],
    exports: [],
  };
}
