import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ChoiceField, PageQueryDto, TextField, UuidField } from '#access';
import { SEVERITIES, type JsonObject, type Severity } from '#core';
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
class AnomalyPointDto {
  @ApiProperty({
    format: 'date-time',
    description: 'First instant of the day or hour.',
    example: '2026-11-19T00:00:00.000Z',
  })
  at!: string;

  @ApiProperty({ type: Number, description: 'The measured value, in units of the metric.', example: 210 })
  value!: number;
}

@ApiSchema({ name: 'GovernanceAnomalyWindowDto' })
class AnomalyWindowDto {
  @ApiProperty({
    format: 'date-time',
    description: 'Start of the period, inclusive.',
    example: '2026-11-20T00:00:00.000Z',
  })
  start!: string;

  @ApiProperty({
    format: 'date-time',
    description: 'End of the period, exclusive.',
    example: '2026-11-21T00:00:00.000Z',
  })
  end!: string;
}

@ApiSchema({ name: 'GovernanceAnomalyJudgeDto' })
class AnomalyJudgeDto {
  @ApiProperty({ example: 'token' })
  kind!: string;

  @ApiProperty({
    description: 'Id of the token or the subject; never a secret.',
    example: '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33',
  })
  id!: string;

  @ApiProperty({ example: 'Grace Hopper' })
  name!: string;
}

/** Unusual usage of a user, or of the organization. */
@ApiSchema({ name: 'GovernanceAnomalyResponseDto' })
export class AnomalyResponseDto {
  @ApiProperty({ format: 'uuid', example: '019aa0f4-3c8d-7e21-8b57-6d1c2f9e4a10' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '019aa0f0-11d2-7f40-8a3c-5b1f0a9c7e22' })
  org_id!: string;

  @ApiProperty({ enum: ANOMALY_KINDS, example: 'usage_spike' })
  kind!: AnomalyKind;

  @ApiProperty({ enum: SEVERITIES, example: 'medium' })
  severity!: Severity;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The user; null for the organization as a whole.',
    example: USER,
  })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  user_email!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The model, if the anomaly concerns a single model.',
    example: null,
  })
  model!: string | null;

  @ApiProperty({ description: '`requests`, `tokens`, `cost_usd` or `active_hours`.', example: 'requests' })
  metric!: string;

  @ApiProperty({ type: Number, example: 4120 })
  observed!: number;

  @ApiProperty({ type: Number, description: 'Lower limit of the expected range.', example: 0 })
  expected_low!: number;

  @ApiProperty({ type: Number, description: 'Upper limit of the expected range.', example: 310 })
  expected_high!: number;

  @ApiProperty({
    type: AnomalyWindowDto,
    description: 'Period of the anomaly: a local day of the user, or an hour of the organization.',
  })
  window!: AnomalyWindowDto;

  @ApiProperty({ type: 'integer', description: 'Number of past days with which the value was compared.', example: 64 })
  history_days!: number;

  @ApiProperty({ description: 'Identifier of the rule.', example: 'total' })
  rule!: string;

  @ApiProperty({ description: 'Description of the rule.', example: 'the day is far above earlier days' })
  rule_in_words!: string;

  @ApiProperty({
    type: Number,
    description: 'Ratio of the deviation to the limit: 1 is exactly at the limit.',
    example: 2.4,
  })
  strength!: number;

  @ApiProperty({ type: [AnomalyPointDto], description: 'The history and the unusual value, for a chart.' })
  series!: AnomalyPointDto[];

  @ApiProperty({
    format: 'uuid',
    description: 'The incident that counts the anomaly.',
    example: '0199c2a8-9c33-7b02-8e14-6a5f0d2b9c47',
  })
  incident_id!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:10:15.000Z' })
  detected_at!: string;

  @ApiProperty({ type: String, enum: FEEDBACKS, nullable: true, example: null })
  feedback!: Feedback | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  feedback_note!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  feedback_at!: string | null;

  @ApiProperty({
    type: AnomalyJudgeDto,
    nullable: true,
    description: 'The token or person that gave the feedback.',
    example: null,
  })
  feedback_by!: JsonObject | null;
}
