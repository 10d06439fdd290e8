import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import { SEVERITIES, type JsonObject } from '#core';
import { INCIDENT_STATUSES, INCIDENT_TYPES } from '../incident/incident-status.js';
import type { ActorStamp } from '../incident/stamp.js';
import { TIMELINE_KINDS } from '../timeline/incident-entries.js';
import type { TimelineItem } from '../timeline/timeline-item.js';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const SEEN = '2026-11-20T13:00:00.000Z';

/** The author of a change. */
@ApiSchema({ name: 'GovernanceActorStampDto' })
class ActorStampDto
  extends dtoOf({
    kind: f.choice<ActorStamp['kind']>(['token', 'jwt', 'host', 'cli', 'system'], 'token', 'Kind of the credential.'),
    id: f.text('0199c2a8-9a10-7e05-b6f4-3d8c12e7a450', 'Id of the token or the subject.'),
    name: f.text('On call'),
  })
  implements ActorStamp {}

/** An incident (interface specification, section 2.8). */
@ApiSchema({ name: 'GovernanceIncidentResponseDto' })
export class IncidentResponseDto extends dtoOf({
  id: f.uuid(ID, 'Id; the events of the incident name it as `alert_id`.'),
  org_id: f.uuid('0199c2a8-5d07-7a44-93be-4f8e21d06c72'),
  type: f.choice(INCIDENT_TYPES, 'policy_violation'),
  severity: f.choice(SEVERITIES, 'high', 'The worst of its occurrences.'),
  status: f.choice(INCIDENT_STATUSES, 'open'),
  user_id: f.text(USER, 'The user. For an unknown person, the id or email address that the request named.').nullable(),
  user_email: f.text('ada@example.com').nullable(),
  policy_id: f.uuid('0199c2a8-6f42-7c18-a0d3-92e4b7c61f05').nullable(),
  provider: f.text('openai', 'Provider of the first occurrence.').nullable(),
  model: f.text('gpt-4o').nullable(),
  details: f.record<JsonObject>(
    { policy_name: 'Large models are for Research', policy_action: 'block', department: 'Sales' },
    'Details of the first occurrence.',
  ),
  occurrences: f.integer(3, 'Number of occurrences.'),
  first_seen_at: f.instant(SEEN),
  last_seen_at: f.instant('2026-11-20T13:12:40.000Z'),
  acknowledged_at: f.instant(null).nullable(),
  acknowledged_by: f.nested(ActorStampDto, undefined, null).nullable(),
  resolved_at: f.instant(null).nullable(),
  resolved_by: f.nested(ActorStampDto, undefined, null).nullable(),
  resolution: f.text(null, 'Outcome of the incident.').nullable(),
  follows: f.uuid(null, 'The previous incident, if this one replaces a quiet one.').nullable(),
  change_version: f.integer(
    42,
    'Grows with each change of any incident of the organization. The stream uses it as the event id.',
  ),
}) {}

/** A timeline entry. */
@ApiSchema({ name: 'GovernanceTimelineItemDto' })
export class TimelineItemDto
  extends dtoOf({
    id: f.uuid(ID, 'Id of the entry; for an occurrence, the id of the decision.'),
    kind: f.choice(
      TIMELINE_KINDS,
      'occurrence',
      '`followed`: the incident was quiet for too long, and a new one replaced it. `ticket`: the service changed a ticket ' +
        'of the incident.',
    ),
    at: f.instant(SEEN),
    actor: f.nested(ActorStampDto, 'Null for an occurrence.', null).nullable(),
    data: f.record<JsonObject>(
      {
        decision_id: ID,
        event_id: 'evt_0199c2a8b2047d9a8f61e7035a4c2b98',
        action: 'block',
        deliveries: [
          {
            id: '0199c2a8-d42c-7a96-8be1-03a7c9285f4d',
            webhook_id: '0199c2a8-c318-7be5-a4d0-92f6b8170e3c',
            status: 'delivered',
            attempts: 1,
          },
        ],
        tickets: [],
      },
      'For an occurrence: `decision_id`, `event_id`, `action`, `deliveries` and `tickets`. For a change of status: `from`, ' +
        '`to`, `resolution` and `note`. For a note: `note`. For a ticket: `change` (`comment`, `priority`, `resolve` or ' +
        '`reopen`), `ticket_id`, `connector_id`, `external_ticket_id`, `url`, and `error` if it was not made. If the ' +
        'platform reports a new status: `change` (`reported`), the same ids, `platform`, `status`, `updated_by`, ' +
        '`resolution` and `note`.',
    ),
  })
  implements TimelineItem {}

/** An incident with its newest timeline entries. */
@ApiSchema({ name: 'GovernanceIncidentViewDto' })
export class IncidentViewDto extends dtoOf(IncidentResponseDto, {
  timeline: f.listOf(TimelineItemDto, 'The newest 50 entries of the timeline, newest first.'),
}) {}

/** The result of the change of one incident among several. */
@ApiSchema({ name: 'GovernanceIncidentOutcomeDto' })
export class IncidentOutcomeDto extends dtoOf({
  id: f.uuid(ID),
  outcome: f.choice<'changed' | 'not_found' | 'conflict'>(['changed', 'not_found', 'conflict'], 'conflict'),
  message: f
    .text('The incident is resolved for good; a new violation opens another.', 'Reason why it was not changed.')
    .nullable(),
  incident: f.nested(IncidentResponseDto, 'The incident after the change, if it was changed.', null).nullable(),
}) {}

/** The result of the change of each incident. */
@ApiSchema({ name: 'GovernanceIncidentOutcomesDto' })
export class IncidentOutcomesDto extends dtoOf({ results: f.listOf(IncidentOutcomeDto, 'In the order of the ids.') }) {}
