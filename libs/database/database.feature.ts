import { ChangeFeed } from './change-feed.js';
import { DATABASE_OPTIONS, type DatabaseOptions } from './database.options.js';
import type { Feature } from './feature.js';
import { DatabaseMigration0100 } from './migrations/0100-database.migration.js';
import { OrgDatabase } from './org-database.js';

/** The database library's part of the module; OrgDatabase itself is opened by the module, which knows the entities. */
export const databaseFeature: Feature = {
  providers: [
    {
      provide: ChangeFeed,
      inject: [OrgDatabase, DATABASE_OPTIONS],
      useFactory: (database: OrgDatabase, options: DatabaseOptions) => new ChangeFeed(database, options),
    },
  ],
  controllers: [],
  entities: [],
  migrations: [{ name: '0100_database', class: DatabaseMigration0100 }],
};
