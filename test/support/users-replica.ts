import { AuditLog, MachineTokens, PersonalCredentials } from '#access';
import {
  ChangeFeed,
  DatabaseModule,
  migrate,
  Notifications,
  openOrm,
  OrgDatabase,
  type DatabaseOptions,
} from '#database';
import { EventOutbox, OutboxModule } from '#outbox';
import { DevicesModule, Lockouts, StoredUserDirectory, UserService, UsersModule } from '#users';
import { ManualClock } from './manual-clock.js';
import { createTestDatabase, type TestDatabase } from './test-postgres.js';

class ForgetfulAuditLog extends AuditLog {
  async append(): Promise<void> {}
}

/** Returns no tokens, because the database has no table for them. */
class NoMachineTokens extends MachineTokens {
  override async leftBy(): Promise<{ ids: string[]; total: number }> {
    return { ids: [], total: 0 };
  }
}

/** A replica, with its own connections, change feed, directory and service. */
export interface UsersReplica {
  database: OrgDatabase;
  changes: ChangeFeed;
  directory: StoredUserDirectory;
  users: UserService;
  stop(): Promise<void>;
}

/** A database with the tables of users. */
export async function createUsersDatabase(): Promise<TestDatabase> {
  const test = await createTestDatabase();
  const modules = [DatabaseModule, OutboxModule, UsersModule, DevicesModule];
  await migrate(
    { url: test.url },
    modules.flatMap(({ library }) => library.migrations),
  );
  return test;
}

/** Starts a replica with this database. */
export async function startUsersReplica(
  url: string,
  changeOptions: NonNullable<DatabaseOptions['changes']> = {},
): Promise<UsersReplica> {
  const options: DatabaseOptions = { url, poolSize: 4, changes: changeOptions };
  const database = new OrgDatabase(
    await openOrm(options, [...UsersModule.library.entities, ...DevicesModule.library.entities]),
  );
  const notifications = new Notifications(options);
  const changes = new ChangeFeed(database, options, notifications);
  const directory = new StoredUserDirectory(database, changes);
  const clock = new ManualClock();
  const lockouts = new Lockouts(new EventOutbox(clock), new PersonalCredentials(), new NoMachineTokens(database));
  const users = new UserService(database, changes, new ForgetfulAuditLog(), clock, lockouts);
  await notifications.start();
  changes.start();
  return {
    ...{ database, changes, directory, users },
    async stop() {
      await changes.stop();
      await notifications.stop();
      await database.close();
    },
  };
}
