import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { boundedBy, Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';

/** Pause after a refusal whose cause only a person can correct. */
export const PAUSE_MS = 300_000;

/** Number of consecutive refusals of ticket content after which the connector is considered faulty. */
export const FIELD_REFUSALS_MAX = 3;

/** Delay of all other workers while one worker probes the platform. After the delay, the probe has usually ended. */
const LOOK_AGAIN_MS = 5_000;

/** What a worker knows about a connector at the start of an attempt. */
export interface BreakerView {
  readonly orgId: string;
  readonly id: string;
  readonly revision: number;
  /** End of the pause; null if the connector has no known problem. */
  readonly problemUntil: Date | null;
}

// Whether this worker probes the platform. It then extends the pause for all other workers.
const CLAIM = `
update ${SCHEMA}.itsm_connectors set problem_until = $4
where org_id = $1 and id = $2 and revision = $3 and problem_until <= $5
returning id`;

const MAX_CONNECTORS = 10_000;

/**
 * Circuit breaker per connector. While the platform refuses everything, or has asked for a pause, no requests are sent.
 */
@Injectable()
export class ConnectorBreaker {
  /** End of the pause, by connector and revision. */
  private readonly pausedUntil = new LRUCache<string, number>(boundedBy(MAX_CONNECTORS));
  /**
   * Number of consecutive tickets in this process that the platform refused for their content, by connector and
   * revision.
   */
  private readonly refusals = new LRUCache<string, number>(boundedBy(MAX_CONNECTORS));

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /**
   * Milliseconds to wait before the next request to the platform; 0 if it may be sent now. After a pause, only one
   * worker gets 0.
   */
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

  /** Pauses the connector in this process until this time, or until the connector changes. */
  pause(connector: BreakerView, milliseconds: number): void {
    this.pausedUntil.set(keyOf(connector), this.clock.now().getTime() + milliseconds);
  }

  /**
   * Counts a ticket that was refused for its fields. Pauses the connector after {@link FIELD_REFUSALS_MAX} consecutive
   * refusals.
   */
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
