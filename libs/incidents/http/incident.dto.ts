import { ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  CheckedField,
  ChoiceField,
  ChoicesField,
  IgnoresReadOnly,
  InstantField,
  IntegerField,
  PageQueryDto,
  severalOf,
  TextField,
  UuidField,
} from '#access';
import { isUuid, SEVERITIES } from '#core';
import { INCIDENT_STATUSES, INCIDENT_TYPES, type IncidentStatus } from '../incident/incident-status.js';
import { INCIDENT_NOTE_MAX } from '../manage/incident-change.js';
import { INCIDENT_ORDERS, type IncidentListQuery } from '../manage/incident-list.service.js';
import { INCIDENTS_PER_CHANGE_MAX } from '../manage/incident.service.js';

const ID = '0199c2a8-7f00-7a31-9d42-5b1e6f0c8a21';

/** Query of `GET /v1/incidents`. */
export class IncidentQueryDto extends PageQueryDto {
  @ChoicesField(INCIDENT_STATUSES, { optional: true, description: 'Restrict to one status or several.' })
  status?: string;

  @ChoicesField(SEVERITIES, { optional: true, description: 'Restrict to one severity or several.' })
  severity?: string;

  @ChoicesField(INCIDENT_TYPES, { optional: true, description: 'Restrict to one type or several.' })
  type?: string;

  @TextField({ max: 320, optional: true, description: 'Restrict to one user, by the `user_id` of the incident.' })
  user_id?: string;

  @UuidField({ optional: true, description: 'Restrict to one policy.' })
  policy_id?: string;

  @TextField({ max: 255, optional: true, description: 'Restrict to one model, by its exact name.' })
  model?: string;

  @TextField({ max: 255, optional: true, description: 'Restrict to one provider.' })
  provider?: string;

  @InstantField({ optional: true, description: 'Only incidents that were opened at this time or later.' })
  since?: string;

  @InstantField({ optional: true, description: 'Only incidents that were opened before this time.' })
  until?: string;

  @ChoiceField(INCIDENT_ORDERS, {
    optional: true,
    default: 'newest',
    description:
      'Order: by opening time (`newest` or `oldest` first), or by the last occurrence (`last_seen_at`). With `-`, the ' +
      'latest first.',
  })
  sort?: (typeof INCIDENT_ORDERS)[number];
}

/** Converts the query for the service. */
export function readIncidentQuery(query: IncidentQueryDto): IncidentListQuery {
  const { status, severity, type, since, until, ...others } = query;
  return {
    ...others,
    status: severalOf(INCIDENT_STATUSES, status),
    severity: severalOf(SEVERITIES, severity),
    type: severalOf(INCIDENT_TYPES, type),
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}

/** Query of `GET /v1/incidents/stream`. */
export class IncidentStreamQueryDto {
  @IntegerField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    description:
      'Begin after this `change_version`; 0 for all incidents. The header `Last-Event-ID` has priority. Without both, ' +
      'the stream begins with new changes.',
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value,
  )
  after?: number;
}

class IncidentChangeDto {
  @ChoiceField(INCIDENT_STATUSES, {
    optional: true,
    description:
      'New status: from `open` to `acknowledged` or `resolved`, from `acknowledged` to `open` or `resolved`.',
    example: 'resolved',
  })
  status?: IncidentStatus;

  @TextField({
    max: INCIDENT_NOTE_MAX,
    optional: true,
    description: 'Note for the timeline. Required without `status`.',
    example: 'Asked Ada: a test of the new connector.',
  })
  note?: string;

  @TextField({
    max: INCIDENT_NOTE_MAX,
    optional: true,
    description: 'Outcome of the incident; only with the status `resolved`.',
    example: 'Not a violation; the policy was narrowed.',
  })
  resolution?: string;
}

/** Body of `PATCH /v1/incidents/{id}`. */
@IgnoresReadOnly('id', 'org_id')
@ApiSchema({ name: 'GovernanceChangeIncidentDto' })
export class ChangeIncidentDto extends IncidentChangeDto {}

function idsFault(ids: unknown): string | undefined {
  if (!Array.isArray(ids)) return 'must be a list of ids';
  if (ids.length < 1 || ids.length > INCIDENTS_PER_CHANGE_MAX)
    return `must have 1 to ${INCIDENTS_PER_CHANGE_MAX} entries`;
  return ids.every(isUuid) ? undefined : 'each entry must be a UUID';
}

/** Body of `POST /v1/incidents/bulk`. */
@ApiSchema({ name: 'GovernanceChangeIncidentsDto' })
export class ChangeIncidentsDto extends IncidentChangeDto {
  @CheckedField(
    { description: 'Ids of the incidents. Duplicates count once.', example: [ID] },
    {
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      minItems: 1,
      maxItems: INCIDENTS_PER_CHANGE_MAX,
    },
    idsFault,
  )
  ids!: string[];
}
