import { Logger } from '@nestjs/common';
import pg from 'pg';
import { messageOf } from '#core';
import { APP_ROLE, type DatabaseOptions } from './database.options.js';
import { urlWithRole } from './orm.js';

/**
 * Called with the payload of a notification. Also called without a payload after each connect, because notifications
 * may have been missed.
 */
export type NotificationHandler = (payload?: string) => void;

const RECONNECT_MS = 500;

/**
 * The connection with which a process listens for notifications. It must lead directly to PostgreSQL, with `listenUrl`
 * if necessary, because poolers in transaction mode do not forward notifications. Notifications only shorten delays.
 * Every consumer must also poll.
 */
export class Notifications {
  private readonly logger = new Logger('Governance');
  private readonly handlers = new Map<string, NotificationHandler[]>();
  private client: pg.Client | undefined;
  private isListening = true;
  private stopped = true;

  constructor(private readonly options: DatabaseOptions) {}

  /** Listens to a channel. Its name must consist of lowercase letters. Call it before `start`. */
  on(channel: string, handler: NotificationHandler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** Connects, and reconnects after each loss of the connection. Never rejects. */
  async start(): Promise<void> {
    if (this.options.changes?.listen === false) return;
    this.stopped = false;
    await this.listen();
  }

  /** Stops listening. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.client?.end().catch(() => undefined);
  }

  private async listen(): Promise<void> {
    if (this.stopped) return;
    const client = new pg.Client({
      connectionString: urlWithRole(this.options.changes?.listenUrl ?? this.options.url, APP_ROLE),
      application_name: 'nest-llm-governance listen',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: 5_000,
    });
    client.on('notification', ({ channel, payload }) => this.tell(channel, payload));
    client.on('error', () => undefined);
    client.on('end', () => {
      if (!this.stopped) setTimeout(() => void this.listen(), RECONNECT_MS).unref();
    });
    this.client = client;
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await client.query(`listen ${channel}`);
      this.isListening = true;
      for (const channel of this.handlers.keys()) this.tell(channel);
    } catch (error) {
      // Consumers continue to poll. The `end` event triggers the next attempt to connect.
      if (this.isListening) this.logger.warn(`Notifications cannot be listened to for now: ${messageOf(error)}`);
      this.isListening = false;
      await client.end().catch(() => undefined);
    }
  }

  private tell(channel: string, payload?: string): void {
    for (const handler of this.handlers.get(channel) ?? []) handler(payload);
  }
}
