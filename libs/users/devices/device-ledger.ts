import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor, type AuditEntry } from '#access';
import { Clock } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { EventOutbox, type NewEvent } from '#outbox';
import { DEVICES_TOPIC } from './devices.topic.js';

/** One change of an organization's devices, while its transaction runs. */
export interface DeviceStep {
  readonly em: EntityManager;
  readonly orgId: string;
  /** Version of the topic `devices` after this change. */
  readonly version: number;
  readonly now: Date;
  /** Sends an event when the change commits. */
  tell(event: NewEvent): void;
  /** Adds an entry to the audit log in the transaction of the change. */
  note(entry: AuditEntry): void;
}

/**
 * Runs changes of devices, each in one transaction. The transaction increments the version of the topic `devices`
 * first, so that changes of one organization run one after another and cannot deadlock. The transaction writes first
 * the rows, then the events, and the audit log last.
 */
@Injectable()
export class DeviceLedger {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly outbox: EventOutbox,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Runs the work in a transaction. Returns its result once all decisions of this replica see the change. */
  async change<T>(actor: Actor, work: (step: DeviceStep) => Promise<T>): Promise<T> {
    const { orgId } = actor;
    const result = await this.database.transaction(orgId, async em => {
      const { made, entries } = await this.within(em, orgId, work);
      for (const entry of entries) await this.audit.append(em, actor, entry);
      return made;
    });
    await this.changes.refresh(orgId);
    return result;
  }

  /**
   * Runs the work in the caller's transaction. The caller must append the returned entries to the audit log as its last
   * step.
   */
  async within<T>(
    em: EntityManager,
    orgId: string,
    work: (step: DeviceStep) => Promise<T>,
  ): Promise<{ made: T; entries: AuditEntry[] }> {
    const version = await this.changes.mark(em, orgId, DEVICES_TOPIC);
    const events: NewEvent[] = [];
    const entries: AuditEntry[] = [];
    const made = await work({
      ...{ em, orgId, version, now: this.clock.now() },
      tell: event => events.push(event),
      note: entry => entries.push(entry),
    });
    await em.flush();
    await this.outbox.fire(em, orgId, events);
    return { made, entries };
  }
}
