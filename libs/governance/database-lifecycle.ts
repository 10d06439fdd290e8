import { Injectable } from '@nestjs/common';
import { ChangeFeed, Notifications, OrgDatabase } from '#database';

/** Starts the listeners of database changes, and stops them before the connections close. */
@Injectable()
export class DatabaseLifecycle {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly notifications: Notifications,
  ) {}

  async start(): Promise<void> {
    this.changes.start();
    await this.notifications.start();
  }

  async stop(): Promise<void> {
    await this.notifications.stop();
    await this.changes.stop();
    await this.database.close();
  }
}
