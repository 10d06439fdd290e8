import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId, UserDirectory, type JsonObject, type SqlTransaction } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { IncidentRecorder, type Occurrence } from '#incidents';
import { ANOMALIES_OPTIONS, type AnomaliesOptions } from '../anomalies.options.js';
import { inWords, type FoundAnomaly } from './anomaly.js';

const INSERT = `
insert into ${SCHEMA}.anomalies (org_id, id, detected_at, kind, severity, user_id, user_email, model, metric, rule, observed,
  expected_low, expected_high, window_start, window_end, history_days, strength, series, incident_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`;

// A late or corrected day is evaluated again, although its episode may already have raised an alarm.
const ALARMED = `
select 1 as alarmed from ${SCHEMA}.anomalies
where org_id = $1 and user_id = $2 and window_start <= $4 and window_end >= $3 and strength >= $5 limit 1`;

const ALARMED_AT = `
select distinct user_id from ${SCHEMA}.anomalies
where org_id = $1 and user_id is not null and window_start <= $2 and window_end > $2 limit 1000`;

const FORGET = `delete from ${SCHEMA}.anomalies where org_id = $1 and id < $2`;

const DAY_MS = 86_400_000;
const DEFAULT_RETENTION_DAYS = 400;
const NOTHING_RANDOM = Buffer.alloc(10);

/** Records findings: the anomaly, its incident and its event, all in the caller's transaction. */
@Injectable()
export class AnomalyLedger {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly users: UserDirectory,
    private readonly clock: Clock,
    @Inject(ANOMALIES_OPTIONS) private readonly options: AnomaliesOptions,
  ) {}

  /**
   * Records findings, except for episodes that have already raised an alarm. Call it late in the transaction, because
   * it locks incidents of the organization. Returns the number of alarms.
   * @param quietDays days without an unusual value after which an episode ends
   */
  async raise(em: EntityManager, orgId: string, found: readonly FoundAnomaly[], quietDays: number): Promise<number> {
    const fresh: FoundAnomaly[] = [];
    for (const one of found) if (!(await this.hasAlarmed(em, orgId, one, quietDays))) fresh.push(one);
    if (fresh.length === 0) return 0;
    const emails = await this.users.emails(
      orgId,
      fresh.flatMap(({ userId }) => (userId === null ? [] : [userId])),
    );
    const now = this.clock.now();
    const named = fresh.map(one => ({ id: newId(now), one, email: emails.get(one.userId ?? '') ?? null }));
    const occurrences = named.map(({ id, one, email }) => occurrenceOf(id, one, email, now));
    const raised = await this.incidents.raise(em, orgId, occurrences);
    for (const [at, { id, one, email }] of named.entries()) {
      await sqlOf(em).query(INSERT, [
        ...[orgId, id, now.toISOString(), one.kind, one.severity, one.userId, email, one.model, one.metric, one.rule],
        ...[one.observed, one.expectedLow, one.expectedHigh],
        ...[one.windowStart.toISOString(), one.windowEnd.toISOString(), one.historyDays, one.strength],
        ...[JSON.stringify(one.series), raised[at]?.incidentId],
      ]);
    }
    return named.length;
  }

  /** People with an alarm about a day that contains the given hour; at most a thousand. */
  async alarmedAt(tx: SqlTransaction, orgId: string, hour: Date): Promise<string[]> {
    const rows = await tx.query<{ user_id: string }>(ALARMED_AT, [orgId, hour.toISOString()]);
    return rows.map(row => row.user_id);
  }

  /** Deletes alarms older than the retention. */
  async forget(tx: SqlTransaction, orgId: string): Promise<void> {
    const days = this.options.retentionDays ?? DEFAULT_RETENTION_DAYS;
    // Ids grow with time, so the cutoff is an id.
    const first = newId(new Date(this.clock.now().getTime() - days * DAY_MS), NOTHING_RANDOM);
    await tx.query(FORGET, [orgId, first]);
  }

  private async hasAlarmed(
    em: EntityManager,
    orgId: string,
    { userId, windowStart, windowEnd, strength }: FoundAnomaly,
    quietDays: number,
  ): Promise<boolean> {
    if (userId === null) return false;
    const from = new Date(windowStart.getTime() - quietDays * DAY_MS);
    const to = new Date(windowEnd.getTime() + quietDays * DAY_MS);
    // A value stronger than all earlier ones escalates the episode, and raises another alarm.
    const rows = await sqlOf(em).query(ALARMED, [
      orgId,
      userId,
      from.toISOString(),
      to.toISOString(),
      strength / ESCALATION,
    ]);
    return rows.length > 0;
  }
}

/** Factor by which a value must exceed earlier ones to raise another alarm, as in the rules for people. */
const ESCALATION = 1.2;

function occurrenceOf(id: string, found: FoundAnomaly, email: string | null, at: Date): Occurrence {
  const { kind, severity, userId, model, metric, rule, observed, historyDays } = found;
  const details: JsonObject = {
    summary: summaryOf(found),
    anomaly_id: id,
    rule,
    rule_in_words: inWords(rule),
    baseline_days: historyDays,
    model,
    user_email: email,
  };
  const shown = {
    ...{ kind, metric, observed, expected_low: found.expectedLow, expected_high: found.expectedHigh },
    window: { start: found.windowStart.toISOString(), end: found.windowEnd.toISOString() },
  };
  return {
    ...{ type: 'anomaly', severity, userId, userEmail: email, policyId: null, provider: null, model },
    details: { ...shown, ...details },
    ...{ at, decisionId: id, action: null },
    event: incidentId => ({
      type: 'anomaly_detected',
      data: { alert_id: incidentId, severity, user_id: userId, ...shown, details },
    }),
  };
}

const NOUNS = {
  requests: 'requests',
  tokens: 'tokens',
  cost_usd: 'US dollars',
  active_hours: 'unusual hours',
} as const;

/** One line for the title of a ticket. */
function summaryOf({ kind, metric, observed, expectedHigh, windowStart }: FoundAnomaly): string {
  const what = kind === 'pre_departure' ? 'Before a departure: ' : '';
  const at = windowStart.toISOString().slice(0, 16).replace('T', ' ');
  return `${what}${short(observed)} ${NOUNS[metric]} from ${at} UTC on, at most ${short(expectedHigh)} expected`;
}

function short(value: number): string {
  return Number(value.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 2 });
}
