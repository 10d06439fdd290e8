// Incidents: problems for a person to handle.
export { INCIDENTS_OPTIONS, INCIDENTS_RULES, type IncidentsOptions } from './incidents.options.js';
export { IncidentsModule } from './incidents.module.js';

// Raise incidents
export { IncidentRecorder, type IncidentConsumer, type OpenedIncident } from './raise/incident-recorder.js';
export type { Occurrence, RaisedIncident } from './raise/occurrence.js';

// Read incidents
export { Incident } from './incident/incident.entity.js';
export {
  INCIDENT_STATUSES,
  INCIDENT_TYPES,
  type IncidentStatus,
  type IncidentType,
} from './incident/incident-status.js';
export type { ActorStamp } from './incident/stamp.js';
export { IncidentListService, type IncidentListQuery } from './manage/incident-list.service.js';
export { IncidentTimeline } from './timeline/incident-timeline.js';
export { addEntry, type IncidentEntry, type TimelineKind } from './timeline/incident-entries.js';
export type { TimelineItem } from './timeline/timeline-item.js';
export { IncidentStreams, STREAMS_MAX, type StreamRequest } from './live/incident-streams.js';
export type { ShowIncident } from './live/incident-stream.js';

// Change incidents
export { INCIDENT_NOTE_MAX, type IncidentChange } from './manage/incident-change.js';
export { IncidentService, INCIDENTS_PER_CHANGE_MAX, type IncidentOutcome } from './manage/incident.service.js';
export { IncidentNotFoundError, IncidentTransitionError } from './incident/incident.errors.js';

// Add data to timelines
export { TimelineSources, type EventFacts, type TimelineSource } from './timeline/timeline-sources.js';

// Announce and decide approval requests
export {
  ApprovalRelay,
  type ApprovalSource,
  type ApprovalWatcher,
  type RelayedApproval,
} from './approvals/approval-relay.js';
