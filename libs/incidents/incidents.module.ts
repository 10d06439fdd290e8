import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { ApprovalRelay } from './approvals/approval-relay.js';
import { IncidentStreamController } from './http/incident-stream.controller.js';
import { IncidentsController } from './http/incidents.controller.js';
import { Incident } from './incident/incident.entity.js';
import { IncidentStreams } from './live/incident-streams.js';
import { IncidentListService } from './manage/incident-list.service.js';
import { IncidentService } from './manage/incident.service.js';
import { IncidentsMigration0350 } from './migrations/0350-incidents.migration.js';
import { IncidentRecorder } from './raise/incident-recorder.js';
import { IncidentRetention } from './manage/incident-retention.js';
import { IncidentRetentionMigration0351 } from './migrations/0351-incident-retention.migration.js';
import { IncidentTimeline } from './timeline/incident-timeline.js';
import { TimelineSources } from './timeline/timeline-sources.js';
import { IncidentsOverview } from './manage/incidents-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Incidents. Other libraries raise them, and operators handle them. */
@Module({})
export class IncidentsModule {
  static readonly library: Library = {
    name: 'incidents',
    providers: [
      IncidentRecorder,
      IncidentService,
      IncidentRetention,
      IncidentListService,
      IncidentTimeline,
      TimelineSources,
      IncidentStreams,
      IncidentsOverview,
      ApprovalRelay,
    ],
    // The route `stream` must be registered before the route with an id in its place.
    controllers: [IncidentStreamController, IncidentsController],
    entities: [Incident],
    migrations: [
      {
        name: '0350_incidents',
        class: IncidentsMigration0350,
        tables: ['incident_entries', 'incident_occurrences', 'incidents'],
      },
      { name: '0351_incident_retention', class: IncidentRetentionMigration0351, tables: [] },
    ],
    personal: PERSONAL_TABLES,
    exports: [IncidentService, IncidentListService, IncidentTimeline, IncidentStreams],
  };
}
