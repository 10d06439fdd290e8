import { ChangeFeed } from './change-feed.js';
import { DATABASE_OPTIONS, type DatabaseOptions } from './database.options.js';
import type { Feature } from './feature.js';
import { DatabaseMigration0100 } from './migrations/0100-database.migration.js';
import { Notifications } from './notifications.js';
import { OrgDatabase } from './org-database.js';

/** The database library's part of the module; OrgDatabase itself is opened by the module, which knows the entities. */
export const databaseFeature: Feature = {
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
  ],
  controllers: [],
  entities: [],
  migrations: [{ name: '0100_database', class: DatabaseMigration0100 }],
};
