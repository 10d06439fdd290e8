import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { SEVERITIES, type JsonObject, type Severity } from '#core';
import {
  INCIDENT_STATUSES,
  INCIDENT_TYPES,
  type IncidentStatus,
  type IncidentType,
} from '../incident/incident-status.js';
import type { ActorStamp } from '../incident/stamp.js';
import { TIMELINE_KINDS, type TimelineKind } from '../timeline/incident-entries.js';
import type { TimelineItem } from '../timeline/timeline-item.js';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';
const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const SEEN = '2026-11-20T13:00:00.000Z';

/** Who has changed something. */
@ApiSchema({ name: 'GovernanceActorStampDto' })
class ActorStampDto implements ActorStamp {
  @ApiProperty({
    enum: ['token', 'jwt', 'host', 'cli', 'system'],
    description: 'Kind of the credential.',
    example: 'token',
  })
  kind!: ActorStamp['kind'];

  @ApiProperty({ description: 'Id of the token or the subject.', example: '0199c2a8-9a10-7e05-b6f4-3d8c12e7a450' })
  id!: string;

  @ApiProperty({ example: 'On call' })
  name!: string;
}

/** An incident (interface specification, section 2.8). */
@ApiSchema({ name: 'GovernanceIncidentResponseDto' })
export class IncidentResponseDto {
  @ApiProperty({ format: 'uuid', description: 'Id; the events of the incident name it as `alert_id`.', example: ID })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-5d07-7a44-93be-4f8e21d06c72' })
  org_id!: string;

  @ApiProperty({ enum: INCIDENT_TYPES, example: 'policy_violation' })
  type!: IncidentType;

  @ApiProperty({ enum: SEVERITIES, description: 'The worst of its occurrences.', example: 'high' })
  severity!: Severity;

  @ApiProperty({ enum: INCIDENT_STATUSES, example: 'open' })
  status!: IncidentStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The user. For an unknown person, the id or email address that the request named.',
    example: USER,
  })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: '0199c2a8-6f42-7c18-a0d3-92e4b7c61f05' })
  policy_id!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Provider of the first occurrence.', example: 'openai' })
  provider!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'gpt-4o' })
  model!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Details of the first occurrence.',
    example: { policy_name: 'Large models are for Research', policy_action: 'block', department: 'Sales' },
  })
  details!: JsonObject;

  @ApiProperty({ type: 'integer', description: 'Number of occurrences.', example: 3 })
  occurrences!: number;

  @ApiProperty({ format: 'date-time', example: SEEN })
  first_seen_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:12:40.000Z' })
  last_seen_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  acknowledged_at!: string | null;

  @ApiProperty({ type: ActorStampDto, nullable: true, example: null })
  acknowledged_by!: ActorStamp | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  resolved_at!: string | null;

  @ApiProperty({ type: ActorStampDto, nullable: true, example: null })
  resolved_by!: ActorStamp | null;

  @ApiProperty({ type: String, nullable: true, description: 'Outcome of the incident.', example: null })
  resolution!: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The previous incident, if this one replaces a quiet one.',
    example: null,
  })
  follows!: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Grows with each change of any incident of the organization. The stream uses it as the event id.',
    example: 42,
  })
  change_version!: number;
}

/** One thing that happened with an incident. */
@ApiSchema({ name: 'GovernanceTimelineItemDto' })
export class TimelineItemDto implements TimelineItem {
  @ApiProperty({
    format: 'uuid',
    description: 'Id of the entry; for an occurrence, the id of the decision.',
    example: ID,
  })
  id!: string;

  @ApiProperty({
    enum: TIMELINE_KINDS,
    description: '`followed`: the incident was quiet for too long, and a new one replaced it.',
    example: 'occurrence',
  })
  kind!: TimelineKind;

  @ApiProperty({ format: 'date-time', example: SEEN })
  at!: string;

  @ApiProperty({ type: ActorStampDto, nullable: true, description: 'Null for an occurrence.', example: null })
  actor!: ActorStamp | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'For an occurrence: `decision_id`, `event_id`, `action`, `deliveries` and `tickets`. For a change of status: `from`, ' +
      '`to`, `resolution` and `note`. For a note: `note`.',
    example: {
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
  })
  data!: JsonObject;
}

/** An incident with what happened last. */
@ApiSchema({ name: 'GovernanceIncidentViewDto' })
export class IncidentViewDto extends IncidentResponseDto {
  @ApiProperty({ type: [TimelineItemDto], description: 'The newest 50 entries of the timeline, newest first.' })
  timeline!: TimelineItemDto[];
}

/** What came of one incident among several. */
@ApiSchema({ name: 'GovernanceIncidentOutcomeDto' })
export class IncidentOutcomeDto {
  @ApiProperty({ format: 'uuid', example: ID })
  id!: string;

  @ApiProperty({ enum: ['changed', 'not_found', 'conflict'], example: 'conflict' })
  outcome!: 'changed' | 'not_found' | 'conflict';

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason why it was not changed.',
    example: 'The incident is resolved for good; a new violation opens another.',
  })
  message!: string | null;

  @ApiProperty({
    type: IncidentResponseDto,
    nullable: true,
    description: 'The incident after the change, if it was changed.',
    example: null,
  })
  incident!: IncidentResponseDto | null;
}

/** What came of each incident. */
@ApiSchema({ name: 'GovernanceIncidentOutcomesDto' })
export class IncidentOutcomesDto {
  @ApiProperty({ type: [IncidentOutcomeDto], description: 'In the order of the ids.' })
  results!: IncidentOutcomeDto[];
}
