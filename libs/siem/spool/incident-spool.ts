import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';
import { IncidentRecorder, type IncidentConsumer, type OpenedIncident } from '#incidents';
import type { IncidentFacts } from '../ocsf/incident-events.js';
import { AuditSink, isSet } from '../sinks/audit-sink.port.js';
import { putRecords } from './put-records.js';

/** Stores new incidents for the SIEM, in the transaction that opens the incidents. */
@Injectable()
export class IncidentSpool implements IncidentConsumer, OnModuleInit {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly sink: AuditSink,
  ) {}

  onModuleInit(): void {
    if (isSet(this.sink)) this.incidents.addConsumer(this);
  }

  async opened(em: EntityManager, orgId: string, incidents: readonly OpenedIncident[]): Promise<void> {
    const records = incidents.map(incident => ({
      id: incident.event.id,
      at: incident.occurrence.at,
      data: factsOf(incident),
    }));
    await putRecords(sqlOf(em), orgId, 'incident', records);
  }
}

function factsOf({ incidentId, severity, occurrence }: OpenedIncident): IncidentFacts {
  return {
    incident_id: incidentId,
    type: occurrence.type,
    severity,
    at: occurrence.at.toISOString(),
    user_id: occurrence.userId,
    user_email: occurrence.userEmail,
    policy_id: occurrence.policyId,
    provider: occurrence.provider,
    model: occurrence.model,
    decision_id: occurrence.decisionId,
    action: occurrence.action,
    details: occurrence.details,
  };
}
