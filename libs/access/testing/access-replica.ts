import { randomUUID } from 'node:crypto';
import { Module, type NestApplicationOptions, type Provider, type Type } from '@nestjs/common';
import { NestFactory, type AbstractHttpAdapter } from '@nestjs/core';
import {
  Clock,
  CursorSealer,
  type DirectoryUser,
  Keyring,
  parseKeyring,
  UserDirectory,
  type UserReference,
  type UserStatus,
} from '#core';
import { ChangeFeed, DATABASE_OPTIONS, DatabaseModule, migrate, openOrm, Notifications, OrgDatabase } from '#database';
import { SCHEDULER_OPTIONS, SchedulerModule } from '#scheduler';
import { AccessModule } from '../access.module.js';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';

/** A user directory in memory for tests. */
export class FakeUserDirectory extends UserDirectory {
  readonly people: DirectoryUser[] = [];
  failure: Error | undefined;

  /** Adds a user with this status. */
  add(status: UserStatus): DirectoryUser {
    const id = randomUUID();
    const fields = { name: 'P', department: null, role: 'member', attributes: {} };
    const user = { id, email: `${id}@example.org`, status, ...fields };
    this.people.push(user);
    return user;
  }

  override find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    if (this.failure) return Promise.reject(this.failure);
    return Promise.resolve(
      references.map(reference =>
        this.people.find(user => user.id === reference.user_id || user.email === reference.user_email),
      ),
    );
  }

  override emails(): Promise<Map<string, string>> {
    return Promise.resolve(new Map());
  }

  override recordActivity(): Promise<void> {
    return Promise.resolve();
  }
}

/** Options of an access replica. */
export interface ReplicaOptions {
  access?: AccessOptions;
  clock: Clock;
  /** Default: one key, `k1`. */
  keyring?: Keyring;
  users?: UserDirectory;
  controllers?: Type<unknown>[];
  providers?: Provider[];
  /** Default: Express. */
  adapter?: AbstractHttpAdapter;
  /** Nest's options, such as the body parser of a host. Default: no body parser. */
  nest?: NestApplicationOptions;
}

/** Starts the access library alone, with an HTTP server, on a database that other replicas may share. */
export async function startAccessReplica(database: { url: string }, options: ReplicaOptions) {
  const databaseOptions = { url: database.url, poolSize: 6 };
  await migrate(databaseOptions, [...DatabaseModule.library.migrations, ...AccessModule.library.migrations]);
  const orgDatabase = new OrgDatabase(await openOrm(databaseOptions, AccessModule.library.entities));
  const keyring = options.keyring ?? parseKeyring(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
  const { clock } = options;
  @Module({
    controllers: [...AccessModule.library.controllers, ...(options.controllers ?? [])],
    providers: [
      { provide: DATABASE_OPTIONS, useValue: databaseOptions },
      { provide: ACCESS_OPTIONS, useValue: { requestsPerMinute: 0, failedSignInsPerMinute: 0, ...options.access } },
      { provide: OrgDatabase, useValue: orgDatabase },
      { provide: Clock, useValue: clock },
      { provide: UserDirectory, useValue: options.users ?? new FakeUserDirectory() },
      { provide: Keyring, useValue: keyring },
      { provide: CursorSealer, useValue: new CursorSealer(keyring, clock) },
      { provide: SCHEDULER_OPTIONS, useValue: {} },
      ...DatabaseModule.library.providers,
      ...SchedulerModule.library.providers,
      ...AccessModule.library.providers,
      ...(AccessModule.library.ports ?? []),
      ...(options.providers ?? []),
    ],
  })
  class AccessHost {}

  const nest: NestApplicationOptions = { bodyParser: false, logger: false, abortOnError: false, ...options.nest };
  const app = await (options.adapter
    ? NestFactory.create(AccessHost, options.adapter, nest)
    : NestFactory.create(AccessHost, nest));
  const close = async (): Promise<void> => {
    await app.get(Notifications).stop();
    await app.get(ChangeFeed).stop();
    await orgDatabase.close();
    await app.close();
  };
  app.get(ChangeFeed).start();
  await app.get(Notifications).start();
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    // If the start fails, nothing may stay open.
    await close().catch(() => undefined);
    throw error;
  }
  return { app, url: await app.getUrl(), database: orgDatabase, close };
}
