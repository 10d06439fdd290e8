import { accessFeature } from '#access';
import { databaseFeature, type Feature, type NamedMigration } from '#database';
import { incidentsFeature } from '#incidents';
import { itsmFeature } from '#itsm';
import { outboxFeature } from '#outbox';
import { policyFeature } from '#policy';
import { secretsFeature } from '#secrets';
import { usageFeature } from '#usage';
import { usersFeature } from '#users';
import { webhooksFeature } from '#webhooks';
import { OperationsMigration0900 } from './migrations/0900-operations.migration.js';

/** Every library of the module. */
// Express looks through routes in this order: those of the request path of gateways come first.
export const FEATURES: readonly Feature[] = [
  databaseFeature,
  secretsFeature,
  outboxFeature,
  policyFeature,
  usageFeature,
  usersFeature,
  incidentsFeature,
  itsmFeature,
  webhooksFeature,
  accessFeature,
];

/** All migrations, in the one order in which they run. */
export const MIGRATIONS: readonly NamedMigration[] = [
  ...FEATURES.flatMap(feature => feature.migrations),
  { name: '0900_operations', class: OperationsMigration0900 },
].sort((a, b) => (a.name < b.name ? -1 : 1));
