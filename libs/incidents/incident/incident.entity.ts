import { BigIntType } from '@mikro-orm/core';
import { Entity, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject, Severity } from '#core';
import { OrgRecord } from '#database';
import { IncidentTransitionError } from './incident.errors.js';
import { mayBecome, type IncidentStatus, type IncidentType } from './incident-status.js';
import type { ActorStamp } from './stamp.js';

/**
 * A problem for a person to handle. For each combination of type, policy, user and model, there is at most one
 * unresolved incident. It counts later occurrences. The database function `raise_incidents` inserts the rows.
 */
@Entity({ tableName: 'incidents', schema: 'governance' })
export class Incident extends OrgRecord {
  @Property({ type: 'text' })
  type!: IncidentType;

  /** The highest severity of the incident's occurrences. */
  @Property({ type: 'text' })
  severity!: Severity;

  @Property({ type: 'text' })
  status!: IncidentStatus;

  /**
   * The user's id, or the id or e-mail address in the request, in lower case; null if the incident concerns no user.
   */
  @Property({ type: 'text', nullable: true })
  userId!: string | null;

  @Property({ type: 'text', nullable: true })
  userEmail!: string | null;

  @Property({ type: 'uuid', nullable: true })
  policyId!: string | null;

  @Property({ type: 'text', nullable: true })
  provider!: string | null;

  @Property({ type: 'text', nullable: true })
  model!: string | null;

  /** Details of the first occurrence. */
  @Property({ type: 'json' })
  details!: JsonObject;

  @Property({ type: new BigIntType('number') })
  occurrences!: number;

  @Property({ type: 'timestamptz' })
  firstSeenAt!: Date;

  @Property({ type: 'timestamptz' })
  lastSeenAt!: Date;

  @Property({ type: 'timestamptz', nullable: true })
  acknowledgedAt!: Date | null;

  @Property({ type: 'json', nullable: true })
  acknowledgedBy!: ActorStamp | null;

  @Property({ type: 'timestamptz', nullable: true })
  resolvedAt!: Date | null;

  @Property({ type: 'json', nullable: true })
  resolvedBy!: ActorStamp | null;

  @Property({ type: 'text', nullable: true })
  resolution!: string | null;

  /**
   * Id of the previous incident with the same key, which was resolved because it had no occurrence for too long; null
   * if there is none.
   */
  @Property({ type: 'uuid', nullable: true })
  follows!: string | null;

  /**
   * Version of the last change, unique per organization. Every change of any incident increases it, in commit order.
   */
  @Property({ type: new BigIntType('number') })
  changeVersion!: number;

  /** Changes the status. @throws IncidentTransitionError if the transition is not allowed */
  become(status: IncidentStatus, resolution: string | null, by: ActorStamp, now: Date): void {
    if (!mayBecome(this.status, status)) throw new IncidentTransitionError(this.status, status);
    this.status = status;
    if (status === 'resolved') {
      this.resolvedAt = now;
      this.resolvedBy = by;
      this.resolution = resolution;
    } else {
      this.acknowledgedAt = status === 'acknowledged' ? now : null;
      this.acknowledgedBy = status === 'acknowledged' ? by : null;
    }
  }
}
