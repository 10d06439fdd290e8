import type { Feature } from '#database';
import { ItsmMigration0700 } from './migrations/0700-itsm.migration.js';

/** The itsm library's part of the module. */
export const itsmFeature: Feature = {
  providers: [],
  controllers: [],
  entities: [],
  migrations: [{ name: '0700_itsm', class: ItsmMigration0700 }],
};
