import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f, IntegerField, ObjectField } from '#access';
import { SEVERITIES } from '#core';
import { ANOMALY_KINDS } from '../record/anomaly.js';
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
class AlarmsOfDayDto extends dtoOf({
  date: f.day('2026-11-20'),
  alarms: f.integer(1),
}) {}

@ApiSchema({ name: 'GovernanceAlarmsOfUserDto' })
class AlarmsOfUserDto extends dtoOf({
  user_id: f.uuid(USER, 'The user; null for the organization as a whole.').nullable(),
  user_email: f.text('ada@example.com').nullable(),
  alarms: f.integer(2),
}) {}

@ApiSchema({ name: 'GovernanceSimulatedAlarmDto' })
class SimulatedAlarmDto extends dtoOf({
  date: f.day('2026-11-20'),
  kind: f.choice(ANOMALY_KINDS, 'usage_spike'),
  severity: f.choice(SEVERITIES, 'medium'),
  user_id: f.uuid(USER, 'The user; null for the organization as a whole.').nullable(),
  user_email: f.text('ada@example.com').nullable(),
  metric: f.text('requests'),
  observed: f.decimal(4120),
  expected_high: f.decimal(310),
  rule_in_words: f.text('the day is far above earlier days'),
}) {}

/** The alarms that the settings would have raised. */
@ApiSchema({ name: 'GovernanceAnomalySimulationResponseDto' })
export class AnomalySimulationResponseDto extends dtoOf({
  settings: f.nested(AnomalySettingsResponseDto, 'The simulated settings.'),
  first_day: f.day('2026-10-22'),
  last_day: f.day('2026-11-20'),
  people: f.integer(58, 'Number of replayed users: those with usage in these days.'),
  is_sample: f.flag(false, 'Whether there are more users than the 5,000 that a simulation replays.'),
  alarms: f.integer(3),
  alarms_per_day: f.listOf(AlarmsOfDayDto, 'Days with alarms, the oldest first.'),
  by_user: f.listOf(AlarmsOfUserDto, `The ${SHOWN_PEOPLE} with the most alarms.`),
  sample: f.listOf(SimulatedAlarmDto, `The first ${SHOWN_ALARMS} alarms.`),
}) {}

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
