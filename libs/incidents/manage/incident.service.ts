import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, ConflictError, newId, NotFoundError, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import type { Incident } from '../incident/incident.entity.js';
import { findIncident } from '../incident/find-incident.js';
import type { IncidentStatus } from '../incident/incident-status.js';
import { stampOf } from '../incident/stamp.js';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';
import { IncidentRecorder } from '../raise/incident-recorder.js';
import { addEntry } from '../timeline/incident-entries.js';
import { checkChange, type IncidentChange } from './incident-change.js';

/** Maximum number of incidents per change. */
export const INCIDENTS_PER_CHANGE_MAX = 100;

/** The result of the change of one incident among several. */
export type IncidentOutcome =
  | { id: string; outcome: 'changed'; incident: Incident }
  | { id: string; outcome: 'not_found' | 'conflict'; message: string };

const VERBS = { open: 'reopened', acknowledged: 'acknowledged', resolved: 'resolved' } as const satisfies Record<
  IncidentStatus,
  string
>;

/** Changes incidents. Each change is one transaction with its timeline entry and its audit entry. */
@Injectable()
export class IncidentService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly recorder: IncidentRecorder,
  ) {}

  /** With `ofUser`, finds only incidents about that user. @throws IncidentNotFoundError */
  async get(orgId: string, id: string, ofUser?: string): Promise<Incident> {
    return this.database.transaction(orgId, em => findIncident(em, orgId, id, ofUser));
  }

  /**
   * Changes the status of an incident, adds a note, or both.
   * @throws IncidentNotFoundError
   * @throws IncidentTransitionError if the transition is not allowed
   * @throws BadRequestError naming every invalid field
   */
  async change(actor: Actor, id: string, change: IncidentChange): Promise<Incident> {
    checkChange(change);
    return this.database.transaction(actor.orgId, async em => {
      const version = await this.changes.mark(em, actor.orgId, INCIDENTS_TOPIC);
      const incident = await this.apply(em, actor, id, change, version);
      await this.tell(em, actor.orgId, [incident]);
      return incident;
    });
  }

  /**
   * Applies one change to several incidents in one transaction. If an incident cannot be changed, it stays unchanged,
   * and its outcome contains the reason. Duplicate ids count once.
   * @throws BadRequestError naming every invalid field
   */
  async changeAll(actor: Actor, ids: readonly string[], change: IncidentChange): Promise<IncidentOutcome[]> {
    checkChange(change);
    const wanted = [...new Set(ids.map(id => id.toLowerCase()))];
    if (wanted.length === 0 || wanted.length > INCIDENTS_PER_CHANGE_MAX) {
      throw BadRequestError.field('ids', `must have 1 to ${INCIDENTS_PER_CHANGE_MAX} entries`);
    }
    return this.database.transaction(actor.orgId, async em => {
      let version = await this.changes.mark(em, actor.orgId, INCIDENTS_TOPIC, wanted.length);
      version -= wanted.length;
      const outcomes: IncidentOutcome[] = [];
      for (const id of wanted) outcomes.push(await this.attempt(em, actor, id, change, ++version));
      await this.tell(
        em,
        actor.orgId,
        outcomes.flatMap(each => (each.outcome === 'changed' ? [each.incident] : [])),
      );
      return outcomes;
    });
  }

  private async tell(em: EntityManager, orgId: string, incidents: readonly Incident[]): Promise<void> {
    // Writes the rows first, because consumers read them.
    await em.flush();
    const ids = incidents.map(({ id }) => id);
    await this.recorder.tellChanged(em, orgId, ids);
  }

  private async attempt(
    em: EntityManager,
    actor: Actor,
    id: string,
    change: IncidentChange,
    version: number,
  ): Promise<IncidentOutcome> {
    try {
      return { id, outcome: 'changed', incident: await this.apply(em, actor, id, change, version) };
    } catch (error) {
      if (error instanceof NotFoundError) return { id, outcome: 'not_found', message: error.message };
      if (error instanceof ConflictError) return { id, outcome: 'conflict', message: error.message };
      throw error;
    }
  }

  /**
   * The caller has incremented the version of the topic. No other transaction can change the incident before the
   * commit.
   */
  private async apply(
    em: EntityManager,
    actor: Actor,
    id: string,
    { status, note, resolution }: IncidentChange,
    version: number,
  ): Promise<Incident> {
    const { orgId } = actor;
    const incident = await findIncident(em, orgId, id);
    const now = this.clock.now();
    const before = incident.status;
    if (status !== undefined) incident.become(status, resolution ?? null, stampOf(actor), now);
    incident.changeVersion = version;
    const said: JsonObject = {
      ...(resolution === undefined ? {} : { resolution }),
      ...(note === undefined ? {} : { note }),
    };
    const data: JsonObject = status === undefined ? said : { from: before, to: status, ...said };
    const kind = status === undefined ? 'note' : 'status';
    await addEntry(em, orgId, { incidentId: id, id: newId(now), kind, at: now, actor: stampOf(actor), data });
    await this.audit.append(em, actor, {
      action: `incident.${status === undefined ? 'noted' : VERBS[status]}`,
      resourceType: 'incident',
      resourceId: id,
      before: { status: before },
      after: { status: incident.status, ...said },
    });
    return incident;
  }
}
