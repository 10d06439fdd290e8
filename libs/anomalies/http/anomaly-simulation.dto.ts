import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IntegerField, ObjectField } from '#access';
import { SEVERITIES, type Severity } from '#core';
import { ANOMALY_KINDS, type AnomalyKind } from '../record/anomaly.js';
import type { AnomalySimulation, SimulatedAlarm } from '../simulate/anomaly-simulator.js';
import { AnomalySettingsDto, AnomalySettingsResponseDto, presentSettings } from './anomaly-settings.dto.js';
import { presentFound } from './anomaly.presenter.js';

const USER = '0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33';
const DEFAULT_DAYS = 30;
const DAYS_MAX = 90;
const SHOWN_PEOPLE = 100;
const SHOWN_ALARMS = 20;

/** Body of `POST /v1/anomalies/simulate`. */
@ApiSchema({ name: 'GovernanceAnomalySimulationDto' })
export class AnomalySimulationDto {
  @IntegerField({
    ...{ optional: true, min: 1, max: DAYS_MAX, default: DEFAULT_DAYS },
    description: 'Number of days to replay, including today.',
  })
  days?: number;

  @ObjectField(() => AnomalySettingsDto, {
    optional: true,
    description: 'Settings that differ from those of the organization.',
  })
  settings?: AnomalySettingsDto;
}

@ApiSchema({ name: 'GovernanceAlarmsOfDayDto' })
class AlarmsOfDayDto {
  @ApiProperty({ format: 'date', example: '2026-11-20' })
  date!: string;

  @ApiProperty({ type: 'integer', example: 1 })
  alarms!: number;
}

@ApiSchema({ name: 'GovernanceAlarmsOfUserDto' })
class AlarmsOfUserDto {
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

  @ApiProperty({ type: 'integer', example: 2 })
  alarms!: number;
}

@ApiSchema({ name: 'GovernanceSimulatedAlarmDto' })
class SimulatedAlarmDto {
  @ApiProperty({ format: 'date', example: '2026-11-20' })
  date!: string;

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

  @ApiProperty({ example: 'requests' })
  metric!: string;

  @ApiProperty({ type: Number, example: 4120 })
  observed!: number;

  @ApiProperty({ type: Number, example: 310 })
  expected_high!: number;

  @ApiProperty({ example: 'the day is far above earlier days' })
  rule_in_words!: string;
}

/** The alarms that the settings would have raised. */
@ApiSchema({ name: 'GovernanceAnomalySimulationResponseDto' })
export class AnomalySimulationResponseDto {
  @ApiProperty({ type: AnomalySettingsResponseDto, description: 'The simulated settings.' })
  settings!: AnomalySettingsResponseDto;

  @ApiProperty({ format: 'date', example: '2026-10-22' })
  first_day!: string;

  @ApiProperty({ format: 'date', example: '2026-11-20' })
  last_day!: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of replayed users: those with usage in these days.',
    example: 58,
  })
  people!: number;

  @ApiProperty({
    description: 'Whether there are more users than the 5,000 that a simulation replays.',
    example: false,
  })
  is_sample!: boolean;

  @ApiProperty({ type: 'integer', example: 3 })
  alarms!: number;

  @ApiProperty({ type: [AlarmsOfDayDto], description: 'Days with alarms, the oldest first.' })
  alarms_per_day!: AlarmsOfDayDto[];

  @ApiProperty({ type: [AlarmsOfUserDto], description: `The ${SHOWN_PEOPLE} with the most alarms.` })
  by_user!: AlarmsOfUserDto[];

  @ApiProperty({ type: [SimulatedAlarmDto], description: `The first ${SHOWN_ALARMS} alarms.` })
  sample!: SimulatedAlarmDto[];
}

/** The number of days to simulate. */
export function daysOf({ days }: AnomalySimulationDto): number {
  return days ?? DEFAULT_DAYS;
}

/** Maps a simulation to the API. */
export function presentSimulation(simulation: AnomalySimulation): AnomalySimulationResponseDto {
  const { alarms } = simulation;
  return {
    settings: presentSettings({ settings: simulation.settings, updatedAt: null }),
    ...{ first_day: simulation.firstDay, last_day: simulation.lastDay },
    ...{ people: simulation.people, is_sample: simulation.isSample, alarms: alarms.length },
    alarms_per_day: [...Map.groupBy(alarms, alarm => alarm.date)].map(([date, { length }]) => ({
      date,
      alarms: length,
    })),
    by_user: [...Map.groupBy(alarms, alarm => alarm.found.userId)]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .slice(0, SHOWN_PEOPLE)
      .map(([user_id, own]) => ({ user_id, user_email: own[0]?.userEmail ?? null, alarms: own.length })),
    sample: alarms.slice(0, SHOWN_ALARMS).map(presentAlarm),
  };
}

function presentAlarm(alarm: SimulatedAlarm): SimulatedAlarmDto {
  const { kind, severity, user_id, metric, observed, expected_high, rule_in_words } = presentFound(alarm.found);
  const who = { user_id, user_email: alarm.userEmail };
  return { date: alarm.date, kind, severity, ...who, metric, observed, expected_high, rule_in_words };
}
