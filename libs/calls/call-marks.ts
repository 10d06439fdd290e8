import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnavailableError } from '#core';
import { GroupCommit, isOutage, OrgDatabase, plainArray, prepared, SCHEMA, textArray } from '#database';
import { Scheduler } from '#scheduler';
import { storableTokens, type CallRecord } from './call-record.js';

/**
 * Lease of a process on its open calls, in milliseconds. If the process does not renew it in time, another process
 * records the calls. Processes renew their leases every 15 seconds.
 */
const LEASE_MS = 60_000;

/**
 * Time in which only the process that stored the end of a call counts its usage. Afterwards any replica may count it.
 * If two replicas do, both record the same event, which counts once.
 */
const END_LEASE_MS = 15_000;

/**
 * If a call has no write-ahead for this time, its lease is no longer renewed. Its stream was probably dropped without
 * an end.
 */
const IDLE_MAX_MS = 60 * 60_000;

/** The row of a call whose usage this process writes ahead. */
export interface Coverage {
  readonly call: CallRecord;
  /**
   * `new`: not written. `written`: stored. `in doubt`: the commit was not confirmed. `lost`: another process recorded
   * the call, because this process seemed dead.
   */
  state: 'new' | 'written' | 'in doubt' | 'lost';
  mark: number;
  /** Measured by `performance.now()`. */
  readonly begunAt: number;
  /** Time of the latest write-ahead, by `performance.now()`. */
  coveredAt: number;
}

interface Mark {
  readonly coverage: Coverage;
  readonly mark: number;
}

interface End {
  readonly coverage: Coverage;
  /** Usage of the call, as written by `endedEventOf`. */
  readonly event: string;
}

const AWAY = 'What this call uses cannot be recorded at present; try again shortly.';
const LOST = 'This call was ended, because its process did not answer in time; send the request again.';

const COVER = prepared(
  'cover_calls',
  `select ${SCHEMA}.cover_calls($1, $2, $3::interval, $4::uuid[], $5::boolean[], $6::bigint[], $7::uuid[], $8::uuid[],
    $9::text[], $10::text[], $11::text[], $12::bigint[], $13::timestamptz[], $14::text[], $15::text[])::text[] as there`,
);

const END = prepared(
  'end_calls',
  `select ${SCHEMA}.end_calls($1, $2, $3::interval, $4::uuid[], $5::boolean[], $6::text[])::text[] as there`,
);

/** Maximum number of calls of one organization in one statement. */
const BATCH = 1_000;

/**
 * Writes ahead the usage of this process's calls, and renews their leases. A written value is called the mark of a
 * call. One statement stores the marks of many calls.
 */
@Injectable()
export class CallMarks {
  /** Id of this process. */
  readonly owner = randomUUID();
  /** Renews the leases of this process; returns the number of lost leases. */
  readonly renew: () => Promise<number>;
  private readonly covered = new Map<string, Coverage>();
  private readonly group: GroupCommit<Mark, boolean>;
  private readonly endings: GroupCommit<End, boolean>;

  constructor(
    private readonly database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    this.group = new GroupCommit({
      commit: (orgId, marks) => this.write(orgId, marks),
      maxWeight: BATCH,
      // Runs one statement of an organization at a time, because two statements would wait for the same rows.
      concurrency: 1,
      gathers: true,
    });
    this.endings = new GroupCommit({
      commit: (orgId, ends) => this.writeEnds(orgId, ends),
      maxWeight: BATCH,
      concurrency: 1,
      gathers: true,
    });
    database.beforeClose(async () => {
      await Promise.all([this.group.close(), this.endings.close()]);
    });
    this.renew = scheduler.add({
      name: 'call-leases',
      pattern: '*/15 * * * * *',
      runsEverywhere: true,
      failure: 'Leases of open calls could not be renewed',
      round: () => this.renewAll(),
    });
  }

  /** @throws UnavailableError if the number cannot be written, or if another process recorded the call */
  async cover(call: CallRecord, outputTokens: number): Promise<void> {
    const coverage = this.covered.get(call.id) ?? newCoverage(call);
    this.covered.set(call.id, coverage);
    noteAge(coverage);
    if (coverage.state === 'lost') throw new UnavailableError(LOST);
    const mark = storableTokens(outputTokens);
    try {
      if (!(await this.group.add(call.orgId, { coverage, mark }))) coverage.state = 'lost';
      else coverage.state = 'written';
    } catch (error) {
      if (coverage.state === 'new') coverage.state = 'in doubt';
      if (isOutage(error)) throw new UnavailableError(AWAY);
      throw error;
    }
    // A concurrent write may have found that another process recorded the call.
    if (coverage.state !== 'written') throw new UnavailableError(LOST);
    coverage.mark = Math.max(coverage.mark, mark);
    coverage.coveredAt = performance.now();
  }

  /** Removes a call from this process's list of covered calls. The caller must then end the call or remove its row. */
  take(call: CallRecord): Coverage {
    const coverage = this.covered.get(call.id);
    this.covered.delete(call.id);
    return coverage ?? newCoverage(call);
  }

  /**
   * Stores the end of a call, in the same row as its mark if it has one. Returns false if the row is gone, because
   * another process recorded the call. Idempotent; rejects if the result is unknown.
   * @param event usage of the call, from `endedEventOf`
   */
  async end(coverage: Coverage, event: string): Promise<boolean> {
    noteAge(coverage);
    if (coverage.state === 'lost') return false;
    try {
      return await this.endings.add(coverage.call.orgId, { coverage, event });
    } catch (error) {
      if (coverage.state === 'new') coverage.state = 'in doubt';
      throw error;
    }
  }

  private async renewAll(): Promise<number> {
    const now = performance.now();
    const held = [...this.covered.values()].filter(({ state }) => state === 'written');
    for (const { call, coveredAt } of held) {
      // Nobody will end the call, for example because a host dropped its stream. Its usage is recorded when its lease
      // expires.
      if (now - coveredAt > IDLE_MAX_MS) this.covered.delete(call.id);
    }
    const renewed = held.filter(({ call }) => this.covered.has(call.id));
    const found = await Promise.all(
      renewed.map(coverage => this.group.add(coverage.call.orgId, { coverage, mark: coverage.mark })),
    );
    renewed.forEach((coverage, at) => {
      if (found[at] === false) coverage.state = 'lost';
    });
    // Returns 0, because one round renews all leases. Otherwise the scheduler would repeat the round.
    return 0;
  }

  private async write(orgId: string, marks: readonly Mark[]): Promise<boolean[]> {
    // If one batch has several marks of a call, only the highest is written.
    const highest = new Map<string, Mark>();
    for (const mark of marks) {
      const { id } = mark.coverage.call;
      if (mark.mark >= (highest.get(id)?.mark ?? 0)) highest.set(id, mark);
    }
    const rows = [...highest.values()];
    const [result] = await this.database.global<{ there: string[] }>(COVER, [
      orgId,
      this.owner,
      `${LEASE_MS} milliseconds`,
      plainArray(rows, ({ coverage }) => coverage.call.id),
      plainArray(rows, ({ coverage }) => (isFirst(coverage) ? 't' : 'f')),
      plainArray(rows, ({ mark }) => mark),
      plainArray(rows, ({ coverage }) => coverage.call.decision?.id),
      plainArray(rows, ({ coverage }) => coverage.call.request.user_id),
      textArray(rows, ({ coverage }) => coverage.call.request.user_email),
      textArray(rows, ({ coverage }) => coverage.call.request.provider),
      textArray(rows, ({ coverage }) => coverage.call.request.model),
      plainArray(rows, ({ coverage }) => storableTokens(coverage.call.request.estimated_input_tokens)),
      plainArray(rows, ({ coverage }) => coverage.call.openedAt.toISOString()),
      textArray(rows, ({ coverage }) => coverage.call.request.service_tier),
      textArray(rows, ({ coverage }) => coverage.call.request.region),
    ]);
    const there = new Set(result?.there ?? []);
    return marks.map(({ coverage }) => there.has(coverage.call.id));
  }

  private async writeEnds(orgId: string, ends: readonly End[]): Promise<boolean[]> {
    const firsts = ends.map(({ coverage }) => isFirst(coverage));
    const [result] = await this.database.global<{ there: string[] }>(END, [
      orgId,
      this.owner,
      `${END_LEASE_MS} milliseconds`,
      plainArray(ends, ({ coverage }) => coverage.call.id),
      plainArray(firsts, first => (first ? 't' : 'f')),
      textArray(ends, ({ event }) => event),
    ]);
    const there = new Set(result?.there ?? []);
    return ends.map(({ coverage }, at) => firsts[at] === true || there.has(coverage.call.id));
  }
}

/** Whether the next write may insert the row. */
function isFirst({ state }: Coverage): boolean {
  return state === 'new' || state === 'in doubt';
}

/**
 * If the first write stays in doubt for long, another process may have recorded and removed the row. It must not be
 * inserted again.
 */
function noteAge(coverage: Coverage): void {
  const { state, begunAt } = coverage;
  if (state === 'in doubt' && performance.now() - begunAt > LEASE_MS / 2) coverage.state = 'lost';
}

function newCoverage(call: CallRecord): Coverage {
  const now = performance.now();
  return { call, state: 'new', mark: 0, begunAt: now, coveredAt: now };
}
