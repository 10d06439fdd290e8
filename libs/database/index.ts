// Access to PostgreSQL: transactions of one organization, and the change feed between replicas.
export { ChangeFeed, markSql } from './change-feed.js';
export {
  APP_ROLE,
  DATABASE_OPTIONS,
  DATABASE_RULES,
  databaseUrl,
  LOOKUP_ROLE,
  SCHEMA,
  type DatabaseOptions,
} from './database.options.js';
export { GroupCommit } from './group-commit/group-commit.js';
export type { StuckGroup } from './group-commit/group-retries.js';
export { CommitInDoubtError, CommitTooLateError } from './group-commit/pending-item.js';
export type { CommitAttempt } from './group-commit/terms.js';
export { hostSql, type HostEntityManager, type HostTransaction } from './host-transaction.js';
export { migrate, pendingMigrations, type NamedMigration } from './migrate.js';
export { databaseFault, isOutage } from './database-fault.js';
export { DatabaseModule } from './database.module.js';
export {
  COMPOSITION,
  tokenOf,
  type Composition,
  type Injectable,
  type Library,
  type LibraryModule,
} from './library.js';
export { migrationUrl, openOrm } from './orm.js';
export { Notifications } from './notifications.js';
export { nameOrganization, OrgDatabase } from './org-database.js';
export { OrgRecord } from './org-record.js';
export type { Footprint, OpenConnection, RoleFootprint, SchemaFootprint } from './footprint.js';
export { countRows } from './keyset/counting.js';
export { newestFirst, type CustomList, type KeysetOrder, type TableList } from './keyset/keyset-list.js';
export { ReportSources, type ReadReport } from './report-sources.js';
export { KeysetLists, showPage } from './keyset/keyset-lists.js';
export { allOf, among, equal, plainSql, sql, type Sql, type Statement } from './keyset/sql.js';
export { atLeastFloor } from './at-least-floor.sql.js';
export { isoTime } from './iso-time.sql.js';
export { markPosition, newestPosition } from './live-position.sql.js';
export { LONG_READ_MS, UPKEEP_MS } from './statement-timeout.js';
export {
  ERASED,
  mentions,
  PERSONAL_CHUNK,
  personalErasure,
  personalRows,
  personalTexts,
  PERSON_COLUMNS,
  personParameters,
  scrubbed,
  scrubbedJson,
  scrubbedList,
  scrubbedStamp,
  type Erasure,
  type Person,
  type PersonalTable,
  wholeWords,
} from './personal-table.js';
export { OverviewPart, SearchPart } from './overview-part.js';
export { OrgMemory } from './org-memory.js';
export { OrgTable, type RowsInMemory, type VersionedRow } from './org-table.js';
export { bytesArray, plainArray, textArray, type PlainValue } from './pg-array.js';
export { prepared } from './prepared.js';
export { schemaDamage } from './schema-damage.js';
export { retryingConflicts } from './retrying-conflicts.js';
export { crossOrganizationFunction, protectTable, replaceCrossOrganizationFunction } from './roles.js';
export { emOf, sqlOf } from './sql-transaction.js';
export { traced } from './traced.js';
export {
  inspectInstallation,
  uninstall,
  type LeftBehind,
  type UninstallOptions,
  type UninstallReport,
} from './uninstall.js';
export { withClient, type StatementClient } from './with-client.js';
