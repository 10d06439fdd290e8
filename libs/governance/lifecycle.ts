import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { EgressClient } from '#egress';
import { OutboxLifecycle } from '#outbox';
import { SecretKeys } from '#secrets';
import { acceptTextBodies } from './fastify-bodies.js';
import { DatabaseLifecycle } from './database-lifecycle.js';

/** Starts background tasks, and stops them before the database that they depend on. */
@Injectable()
export class GovernanceLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly database: DatabaseLifecycle,
    private readonly outbox: OutboxLifecycle,
    private readonly egress: EgressClient,
    private readonly secrets: SecretKeys,
    private readonly http: HttpAdapterHost,
  ) {}

  async onModuleInit(): Promise<void> {
    acceptTextBodies(this.http.httpAdapter);
    // Checked before anything is sent or answered, because messages cannot be signed with unreadable keys.
    await this.secrets.assertKeysKnown();
    await this.database.start();
  }

  /** Runs after the initialization of all providers: the queues and the host's listeners then exist. */
  async onApplicationBootstrap(): Promise<void> {
    await this.outbox.start();
  }

  /** Runs while the HTTP server still responds to its last requests. */
  beforeApplicationShutdown(): void {
    this.outbox.beginStop();
  }

  /** Runs after the HTTP server has responded to its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.outbox.stop();
    await this.egress.close();
    await this.database.stop();
  }
}
