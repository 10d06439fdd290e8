import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';

/** Pause after a refusal that only a person can fix. */
export const PAUSE_MS = 300_000;

/** Consecutive refusals of ticket content after which the connector is considered faulty. */
export const FIELD_REFUSALS_MAX = 3;

/** Delay of the other workers while a worker probes the platform; by then the probe has usually ended. */
const LOOK_AGAIN_MS = 5_000;

/** The worker's view of a connector at the start of an attempt. */
export interface BreakerView {
  readonly orgId: string;
  readonly id: string;
  readonly revision: number;
  /** End of the pause; null if no problem is known. */
  readonly problemUntil: Date | null;
}

// The worker that probes the platform extends the pause for the others.
const CLAIM = `
update ${SCHEMA}.itsm_connectors set problem_until = $4
where org_id = $1 and id = $2 and revision = $3 and problem_until <= $5
returning id`;

const MAX_CONNECTORS = 10_000;

/** Circuit breaker per connector: no calls while the platform refuses everything or has asked for a pause. */
@Injectable()
export class ConnectorBreaker {
  /** End of the pause by connector and revision. */
  private readonly pausedUntil = new LRUCache<string, number>(boundedBy(MAX_CONNECTORS));
  /** Consecutive tickets that the platform refused for their content in this process, by connector and revision. */
  private readonly refusals = new LRUCache<string, number>(boundedBy(MAX_CONNECTORS));

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** Milliseconds to wait before the platform may be asked; 0: now. After a pause, only one worker gets 0. */
  async waitMs(connector: BreakerView): Promise<number> {
    const now = this.clock.now();
    const known = (this.pausedUntil.get(keyOf(connector)) ?? 0) - now.getTime();
    if (known > 0) return known;
    const { problemUntil } = connector;
    if (problemUntil === null) return 0;
    const left = problemUntil.getTime() - now.getTime();
    if (left > 0) return left;
    return (await this.claim(connector, now)) ? 0 : LOOK_AGAIN_MS;
  }

  /** Pauses the connector in this process until the time ends or the connector changes. */
  pause(connector: BreakerView, milliseconds: number): void {
    this.pausedUntil.set(keyOf(connector), this.clock.now().getTime() + milliseconds);
  }

  /** Counts a ticket that was refused for its fields. Pauses the connector after {@link FIELD_REFUSALS_MAX} in a row. */
  refuseFields(connector: BreakerView): void {
    const count = (this.refusals.get(keyOf(connector)) ?? 0) + 1;
    this.refusals.set(keyOf(connector), count);
    if (count >= FIELD_REFUSALS_MAX) this.pause(connector, PAUSE_MS);
  }

  /** Closes the circuit after a success: clears the pause and the count of refusals. */
  reset(connector: BreakerView): void {
    this.pausedUntil.delete(keyOf(connector));
    this.refusals.delete(keyOf(connector));
  }

  private async claim({ orgId, id, revision }: BreakerView, now: Date): Promise<boolean> {
    const until = new Date(now.getTime() + PAUSE_MS);
    return this.database.transaction(orgId, async em => {
      const rows = await sqlOf(em).query(CLAIM, [orgId, id, revision, until, now]);
      return rows.length > 0;
    });
  }
}

function keyOf({ id, revision }: BreakerView): string {
  return `${id} ${revision}`;
}
