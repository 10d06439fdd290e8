import { Injectable } from '@nestjs/common';
import { Organization } from '#access';
import { Clock, ConflictError, TimeSlice, UsageActivity, UserDirectory } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import {
  NEW_ORGANIZATION_WATCH,
  NEW_WATCH,
  watchOrganization,
  watchPerson,
  type Cohorts,
  type HourFinding,
  type PersonWatch,
} from '../detect/index.js';
import type { FoundAnomaly } from '../record/anomaly.js';
import { readCohorts } from '../record/watch-ledger.js';
import { alarmedAt, isExplained } from '../run/explained-hours.js';
import { foundInDay, foundInHour } from '../run/found-anomalies.js';
import { Leavers } from '../run/leavers.js';
import { isoDate, LocalDays } from '../run/local-days.js';
import { personalDays } from '../run/personal-days.js';
import { type AnomalySettings } from '../settings/anomaly-settings.js';
import { AnomalySettingsService } from '../settings/anomaly-settings.service.js';

/** The alarms that the settings would have raised. */
export interface AnomalySimulation {
  readonly settings: AnomalySettings;
  /** First and last day, as `YYYY-MM-DD` in the organization's time zone. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Number of replayed users: the users with usage on these days. */
  readonly people: number;
  /** Whether there are more users than a simulation replays. */
  readonly isSample: boolean;
  /** All alarms, oldest first. */
  readonly alarms: readonly SimulatedAlarm[];
}

/** An alarm that would have been raised. */
export interface SimulatedAlarm {
  readonly found: FoundAnomaly;
  /** `YYYY-MM-DD` in the organization's time zone. */
  readonly date: string;
  readonly userEmail: string | null;
}

/** A simulation of the organization is still running. */
export class AnomalySimulationUnderWayError extends ConflictError {
  constructor() {
    super('A simulation is already running for your organization; wait until it ends.');
  }
}

/** Maximum number of users per simulation. */
const PEOPLE_MAX = 5_000;
/** Number of days before the simulated days. The detectors learn the usual usage from them. */
const LEARNED_DAYS = 90;
const CELLS_AT_ONCE = 100_000;

/** Replays past usage under given settings. Changes nothing and sends no alarm. */
@Injectable()
export class AnomalySimulator {
  private readonly running = new Set<string>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly activity: UsageActivity,
    private readonly settings: AnomalySettingsService,
    private readonly leavers: Leavers,
    private readonly users: UserDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Replays the last days. Limits that feedback has adjusted are ignored. Which users are leaving is decided as of
   * today.
   * @param changes settings that differ from those of the organization
   * @throws AnomalySimulationUnderWayError
   */
  async simulate(orgId: string, days: number, changes: Partial<AnomalySettings>): Promise<AnomalySimulation> {
    if (this.running.has(orgId)) throw new AnomalySimulationUnderWayError();
    this.running.add(orgId);
    try {
      await this.leavers.load(orgId);
      return await this.replay(orgId, days, changes);
    } finally {
      this.running.delete(orgId);
    }
  }

  private async replay(orgId: string, days: number, changes: Partial<AnomalySettings>): Promise<AnomalySimulation> {
    const { settings, calendar, cohorts } = await this.database.snapshot(orgId, async em => ({
      settings: { ...(await this.settings.within(sqlOf(em), orgId)).settings, ...changes },
      calendar: new LocalDays((await em.findOneOrFail(Organization, { id: orgId })).timeZone),
      cohorts: await readCohorts(sqlOf(em), orgId),
    }));
    const today = calendar.at(this.clock.now()).day;
    const span = { first: today - days + 1, today, from: today - days - LEARNED_DAYS + 1 };
    const personal = await this.replayPeople(orgId, span, settings, calendar, cohorts);
    const whole = settings.organizationSpikes
      ? await this.replayOrganization(orgId, span, settings, calendar, personal.found)
      : [];
    const alarms = [...whole, ...personal.found].toSorted((a, b) => a.windowStart.getTime() - b.windowStart.getTime());
    const ids = new Set(alarms.flatMap(({ userId }) => (userId === null ? [] : [userId])));
    const emails = await this.users.emails(orgId, [...ids]);
    return {
      settings,
      ...{
        firstDay: isoDate(span.first),
        lastDay: isoDate(today),
        people: personal.people,
        isSample: personal.isSample,
      },
      alarms: alarms.map(found => {
        const date = isoDate(calendar.at(found.windowStart).day);
        return { found, date, userEmail: emails.get(found.userId ?? '') ?? null };
      }),
    };
  }

  private async replayOrganization(
    orgId: string,
    { first, today, from }: Span,
    settings: AnomalySettings,
    calendar: LocalDays,
    personal: readonly FoundAnomaly[],
  ): Promise<FoundAnomaly[]> {
    const found: FoundAnomaly[] = [];
    const start = calendar.bounds(first).start.getTime();
    let watch = NEW_ORGANIZATION_WATCH;
    const slice = new TimeSlice();
    for (let day = from; day <= today; day++) {
      const hours = calendar.hoursOf([day]);
      const totals = await this.database.snapshot(orgId, em => this.activity.totals(sqlOf(em), orgId, hours));
      const points = totals.map(({ hour, requests, tokens, costUsd }) => ({
        at: hour.getTime(),
        values: { requests, tokens, cost_usd: costUsd },
      }));
      const update = watchOrganization(watch, points, settings);
      watch = update.watch;
      for (const alarm of update.alarms) {
        if (alarm.at < start || (await this.isExplained(orgId, alarm, personal))) continue;
        found.push(foundInHour(alarm, [], watch.firstAt));
      }
      await slice.next();
    }
    return found;
  }

  private isExplained(orgId: string, alarm: HourFinding, personal: readonly FoundAnomaly[]): Promise<boolean> {
    const alarmed = new Set(alarmedAt(personal, alarm.at));
    return this.database.snapshot(orgId, em => isExplained(this.activity, sqlOf(em), orgId, alarm, alarmed));
  }

  private async replayPeople(
    orgId: string,
    span: Span,
    settings: AnomalySettings,
    calendar: LocalDays,
    cohorts: Cohorts,
  ): Promise<{ found: FoundAnomaly[]; people: number; isSample: boolean }> {
    const wanted = calendar.hoursOf(daysFrom(span.first, span.today));
    const all = calendar.hoursOf(daysFrom(span.from, span.today));
    const people = await this.database.snapshot(orgId, em =>
      this.activity.people(sqlOf(em), orgId, wanted, undefined, PEOPLE_MAX + 1),
    );
    const isSample = people.length > PEOPLE_MAX;
    const looked = people.slice(0, PEOPLE_MAX);
    const found: FoundAnomaly[] = [];
    const slice = new TimeSlice();
    const size = Math.max(1, Math.floor(CELLS_AT_ONCE / all.length));
    for (let at = 0; at < looked.length; at += size) {
      const ids = looked.slice(at, at + size);
      const { usage, leaves } = await this.database.snapshot(orgId, async em => ({
        usage: await this.activity.ofPeople(sqlOf(em), orgId, ids, all),
        leaves: await this.leavers.among(sqlOf(em), orgId, ids, settings.leaverAttribute),
      }));
      const isLeaver = (userId: string, day: number): boolean => settings.preDeparture && leaves(userId, day);
      for (const [userId, days] of personalDays(usage, calendar, isLeaver)) {
        let watch: PersonWatch = NEW_WATCH;
        for (const day of days) {
          const update = watchPerson(watch, day, cohorts, settings);
          watch = update.watch;
          const isWanted = day.isLeaver || settings.usageSpikes;
          if (!update.alarm || day.day < span.first || !isWanted) continue;
          found.push(foundInDay(userId, day.day, update.alarm, day.isLeaver, calendar));
        }
        await slice.next();
      }
    }
    return { found, people: looked.length, isSample };
  }
}

interface Span {
  readonly first: number;
  readonly today: number;
  readonly from: number;
}

function daysFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
