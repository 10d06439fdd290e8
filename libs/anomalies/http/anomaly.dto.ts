import { ApiSchema } from '@nestjs/swagger';
import { ChoiceField, dtoOf, f, InstantField, PageQueryDto, TextField, UuidField } from '#access';
import { SEVERITIES, type JsonObject } from '#core';
import type { AnomalyListQuery } from '../record/anomalies.service.js';
import { ANOMALY_KINDS, FEEDBACKS, type AnomalyKind, type Feedback } from '../record/anomaly.js';

const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const NOTE_MAX = 1_000;

/** Filters of the anomaly list. */
export class AnomalyQueryDto extends PageQueryDto {
  @ChoiceField(ANOMALY_KINDS, { optional: true, description: 'Only anomalies of this kind.' })
  kind?: AnomalyKind;

  @UuidField({ optional: true, description: 'Only anomalies of this user.', example: USER })
  user_id?: string;

  @UuidField({ optional: true, description: 'Only anomalies of this incident.' })
  incident_id?: string;

  @ChoiceField([...FEEDBACKS, 'none'], {
    optional: true,
    description: 'Only anomalies with this feedback; `none`: without feedback.',
  })
  feedback?: Feedback | 'none';

  @InstantField({
    optional: true,
    description: 'Only anomalies of usage whose period (`window.start`) begins at this time or later.',
    example: '2026-11-19T23:00:00Z',
  })
  since?: string;

  @InstantField({ optional: true, description: 'Only anomalies of usage whose period begins before this time.' })
  until?: string;
}

/** Converts the query for the service. */
export function readAnomalyQuery({ since, until, ...others }: AnomalyQueryDto): AnomalyListQuery {
  return {
    ...others,
    since: since === undefined ? undefined : new Date(since),
    until: until === undefined ? undefined : new Date(until),
  };
}

/** Body of `POST /v1/anomalies/{id}/feedback`. */
@ApiSchema({ name: 'GovernanceAnomalyFeedbackDto' })
export class AnomalyFeedbackDto {
  @ChoiceField(FEEDBACKS, {
    description: '`expected` widens the limits of this user or organization, `unexpected` narrows them.',
    example: 'expected',
  })
  feedback!: Feedback;

  @TextField({ max: NOTE_MAX, optional: true, nullable: true, description: 'Why.', example: 'Load test.' })
  note?: string | null;
}

@ApiSchema({ name: 'GovernanceAnomalyPointDto' })
class AnomalyPointDto extends dtoOf({
  at: f.instant('2026-11-19T00:00:00.000Z', 'First instant of the day or hour.'),
  value: f.decimal(210, 'The measured value, in units of the metric.'),
}) {}

@ApiSchema({ name: 'GovernanceAnomalyWindowDto' })
class AnomalyWindowDto extends dtoOf({
  start: f.instant('2026-11-20T00:00:00.000Z', 'Start of the period, inclusive.'),
  end: f.instant('2026-11-21T00:00:00.000Z', 'End of the period, exclusive.'),
}) {}

@ApiSchema({ name: 'GovernanceAnomalyJudgeDto' })
class AnomalyJudgeDto extends dtoOf({
  kind: f.text('token'),
  id: f.text('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33', 'Id of the token or the subject; never a secret.'),
  name: f.text('Grace Hopper'),
}) {}

/** Unusual usage of a user, or of the organization. */
@ApiSchema({ name: 'GovernanceAnomalyResponseDto' })
export class AnomalyResponseDto extends dtoOf({
  id: f.uuid('019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10'),
  org_id: f.uuid('019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22'),
  kind: f.choice(ANOMALY_KINDS, 'usage_spike'),
  severity: f.choice(SEVERITIES, 'medium'),
  user_id: f.uuid(USER, 'The user; null for the organization as a whole.').nullable(),
  user_email: f.text('ada@example.com').nullable(),
  model: f.text(null, 'The model, if the anomaly concerns a single model.').nullable(),
  metric: f.text('requests', '`requests`, `tokens`, `cost_usd` or `active_hours`.'),
  observed: f.decimal(4120),
  expected_low: f.decimal(0, 'Lower limit of the expected range.'),
  expected_high: f.decimal(310, 'Upper limit of the expected range.'),
  window: f.nested(AnomalyWindowDto, 'Period of the anomaly: a local day of the user, or an hour of the organization.'),
  history_days: f.integer(64, 'Number of past days with which the value was compared.'),
  rule: f.text('total', 'Identifier of the rule.'),
  rule_in_words: f.text('the day is far above earlier days', 'Description of the rule.'),
  strength: f.decimal(2.4, 'Ratio of the deviation to the limit: 1 is exactly at the limit.'),
  series: f.listOf(
    AnomalyPointDto,
    'Earlier values of the measure that the rule compares, and the unusual value, for a chart.',
  ),
  incident_id: f.uuid('0199c2a8-9c33-7b02-8e14-6a5f0d2b9c47', 'The incident that counts the anomaly.'),
  detected_at: f.instant('2026-11-20T13:10:15.000Z'),
  feedback: f.choice(FEEDBACKS, null).nullable(),
  feedback_note: f.text(null).nullable(),
  feedback_at: f.instant(null).nullable(),
  feedback_by: f
    .of<JsonObject>({
      type: AnomalyJudgeDto,
      description: 'The token or person that gave the feedback.',
      example: null,
    })
    .nullable(),
}) {}
