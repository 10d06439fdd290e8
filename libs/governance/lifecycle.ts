import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ChangeFeed, OrgDatabase } from '#database';
import { acceptTextBodies } from './fastify-bodies.js';

/** Starts what runs beside the requests, and ends it in the order in which it depends on the database. */
@Injectable()
export class GovernanceLifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly http: HttpAdapterHost,
  ) {}

  async onModuleInit(): Promise<void> {
    acceptTextBodies(this.http.httpAdapter);
    await this.changes.start();
  }

  /** Runs after the HTTP server has answered its last request. */
  async onApplicationShutdown(): Promise<void> {
    await this.changes.stop();
    await this.database.close();
  }
}
