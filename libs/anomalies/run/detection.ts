import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Organization } from '#access';
import { Clock, TimeSlice, UsageActivity, type SqlTransaction } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import {
  NEW_WATCH,
  packWatch,
  unpackWatch,
  watchOrganization,
  watchPerson,
  withCompletedDay,
  type Cohorts,
} from '../detect/index.js';
import type { FoundAnomaly } from '../record/anomaly.js';
import { AnomalyLedger } from '../record/anomaly-ledger.js';
import {
  forgetPeople,
  holdWatch,
  keepOrganizationWatch,
  keepWatch,
  keepWatches,
  organizationWatch,
  watchesOf,
  type ChangedWatch,
  type HeldWatch,
  type Pass,
} from '../record/watch-ledger.js';
import type { AnomalySettings } from '../settings/anomaly-settings.js';
import { AnomalySettingsService } from '../settings/anomaly-settings.service.js';
import { alarmedAt, isExplained } from './explained-hours.js';
import { foundInDay, foundInHour, PLOTTED_HOURS, pointOf } from './found-anomalies.js';
import { Leavers } from './leavers.js';
import { isoDate, LocalDays } from './local-days.js';
import { personalDays } from './personal-days.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum number of hours of usage in one pass. An import of a year needs several passes. */
const HOURS_PER_PASS = 480;
/** Limits of one transaction: the number of people, and the number of hours times people. */
const PEOPLE_AT_ONCE = 50;
const CELLS_AT_ONCE = 24_000;
/** Milliseconds of work before the detection yields to the event loop. */
const SLICE_MS = 1;
/**
 * Days for which usage can raise alarms. Older usage only trains the model, because alarms about imported history would
 * be useless.
 */
const ALARM_DAYS = 3;
/**
 * Time without usage after which a person's state is deleted. The second constant limits how many states are deleted
 * after a pass.
 */
const FORGOTTEN_AFTER_DAYS = 180;
const FORGOTTEN_AT_ONCE = 1_000;

/** Progress of a step. */
export interface DetectionStep {
  /** Number of examined people. */
  readonly people: number;
  /** Whether the organization has more work now. */
  readonly isPassOpen: boolean;
}

const NOTHING: DetectionStep = { people: 0, isPassOpen: false };

/**
 * Detects unusual usage in steps. A step is one transaction. It locks the organization's watch, adds the changed usage
 * of some people or of the whole organization, and records its findings. A crash undoes only the current step. Each
 * episode therefore raises one alarm across all replicas.
 */
@Injectable()
export class Detection {
  constructor(
    private readonly database: OrgDatabase,
    private readonly activity: UsageActivity,
    private readonly settings: AnomalySettingsService,
    private readonly leavers: Leavers,
    private readonly ledger: AnomalyLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs the next step for an organization. Does nothing if another replica has locked the organization's watch, or if
   * the last pass began after `notSince`.
   */
  async step(orgId: string, notSince: Date): Promise<DetectionStep> {
    await this.leavers.load(orgId);
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const held = await holdWatch(tx, orgId);
      if (!held) return NOTHING;
      if (held.pass) return this.continue(em, orgId, held, held.pass);
      if (held.passedAt && held.passedAt > notSince) return NOTHING;
      const hours = await this.activity.touched(tx, orgId, HOURS_PER_PASS);
      if (hours.length === 0) return NOTHING;
      return this.continue(em, orgId, held, { hours, after: undefined });
    });
  }

  private async continue(em: EntityManager, orgId: string, held: HeldWatch, pass: Pass): Promise<DetectionStep> {
    const tx = sqlOf(em);
    const { settings } = await this.settings.within(tx, orgId);
    const organization = await em.findOneOrFail(Organization, { id: orgId });
    const calendar = new LocalDays(organization.timeZone);
    const touched = pass.hours.map(({ hour }) => hour);
    const hours = calendar.hoursOf(touched.map(hour => calendar.at(hour).day));
    const limit = Math.max(1, Math.min(PEOPLE_AT_ONCE, Math.floor(CELLS_AT_ONCE / Math.max(1, hours.length))));
    const people = await this.activity.people(tx, orgId, touched, pass.after, limit);
    const found = await this.watchPeople(tx, { orgId, people, hours, settings, calendar, cohorts: held.cohorts });
    const isLast = people.length < limit;
    const whole = isLast ? await this.watchOrganization(tx, orgId, touched, settings, found.anomalies) : [];
    if (isLast) await this.endPass(tx, orgId, pass);
    await keepWatch(tx, orgId, {
      pass: isLast ? undefined : { ...pass, after: people.at(-1) },
      passedAt: isLast ? this.clock.now() : held.passedAt,
      cohorts: found.cohorts,
    });
    await this.ledger.raise(em, orgId, [...found.anomalies, ...whole], settings.quietDays);
    if (isLast) await this.ledger.forget(tx, orgId);
    return { people: people.length, isPassOpen: !isLast };
  }

  private async watchPeople(
    tx: SqlTransaction,
    { orgId, people, hours, settings, calendar, cohorts }: PeopleStep,
  ): Promise<{ cohorts: Cohorts; anomalies: FoundAnomaly[] }> {
    if (people.length === 0) return { cohorts, anomalies: [] };
    const usage = await this.activity.ofPeople(tx, orgId, people, hours);
    const attribute = settings.preDeparture ? settings.leaverAttribute : null;
    const leaves = await this.leavers.among(tx, orgId, people, attribute);
    const isLeaver = (userId: string, day: number): boolean => settings.preDeparture && leaves(userId, day);
    const watches = await watchesOf(tx, orgId, people);
    const changed: ChangedWatch[] = [];
    const anomalies: FoundAnomaly[] = [];
    const slice = new TimeSlice(SLICE_MS);
    for (const [userId, days] of personalDays(usage, calendar, isLeaver)) {
      const stored = watches.get(userId);
      let watch = (stored && unpackWatch(stored)) ?? NEW_WATCH;
      for (const day of days) {
        const update = watchPerson(watch, day, cohorts, settings);
        watch = update.watch;
        if (update.completed) cohorts = withCompletedDay(cohorts, update.completed);
        const isWanted = day.isLeaver ? settings.preDeparture : settings.usageSpikes;
        if (!update.alarm || !isWanted || !this.isRecent(calendar.bounds(day.day).end)) continue;
        anomalies.push(foundInDay(userId, day.day, update.alarm, day.isLeaver, calendar));
      }
      const lastDay = watch.metrics.requests.days.at(-1)?.day;
      if (lastDay !== undefined) changed.push({ userId, packed: packWatch(watch), lastDay: isoDate(lastDay) });
      await slice.next();
    }
    await keepWatches(tx, orgId, changed);
    return { cohorts, anomalies };
  }

  /** Adds completed hours. The current hour is added in a later pass, because its usage still changes. */
  private async watchOrganization(
    tx: SqlTransaction,
    orgId: string,
    touched: readonly Date[],
    settings: AnomalySettings,
    personal: readonly FoundAnomaly[],
  ): Promise<FoundAnomaly[]> {
    const over = touched.filter(hour => hour.getTime() + HOUR_MS <= this.clock.now().getTime());
    const totals = (await this.activity.totals(tx, orgId, over)).map(({ hour, requests, tokens, costUsd }) => ({
      at: hour.getTime(),
      values: { requests, tokens, cost_usd: costUsd },
    }));
    const { watch, alarms } = watchOrganization(await organizationWatch(tx, orgId), totals, settings);
    await keepOrganizationWatch(tx, orgId, watch);
    const recent = alarms.filter(({ at }) => settings.organizationSpikes && this.isRecent(new Date(at + HOUR_MS)));
    const anomalies: FoundAnomaly[] = [];
    for (const alarm of recent) {
      const before = await this.ledger.alarmedAt(tx, orgId, new Date(alarm.at));
      const alarmed = new Set([...before, ...alarmedAt(personal, alarm.at)]);
      if (await isExplained(this.activity, tx, orgId, alarm, alarmed)) continue;
      const hours = Array.from({ length: PLOTTED_HOURS }, (_, at) => new Date(alarm.at - at * HOUR_MS));
      const past = await this.activity.totals(tx, orgId, hours);
      const points = past.map(({ hour, requests, tokens, costUsd }) =>
        pointOf(hour, { requests, tokens, cost_usd: costUsd }[alarm.metric]),
      );
      anomalies.push(foundInHour(alarm, points, watch.firstAt));
    }
    return anomalies;
  }

  private async endPass(tx: SqlTransaction, orgId: string, { hours }: Pass): Promise<void> {
    const now = this.clock.now().getTime();
    // Marks the processed hours as done. Hours that changed meanwhile and the current hour stay marked as changed.
    await this.activity.settle(
      tx,
      orgId,
      hours.filter(({ hour }) => hour.getTime() + HOUR_MS <= now),
    );
    const forgotten = isoDate(Math.floor(now / DAY_MS) - FORGOTTEN_AFTER_DAYS);
    await forgetPeople(tx, orgId, forgotten, FORGOTTEN_AT_ONCE);
  }

  private isRecent(end: Date): boolean {
    return end.getTime() > this.clock.now().getTime() - ALARM_DAYS * DAY_MS;
  }
}

interface PeopleStep {
  readonly orgId: string;
  readonly people: readonly string[];
  readonly hours: readonly Date[];
  readonly settings: AnomalySettings;
  readonly calendar: LocalDays;
  readonly cohorts: Cohorts;
}
