import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { UnavailableError } from '#core';
import { OrgDatabase } from '#database';
import type { IncidentRecorder, Occurrence } from '#incidents';
import type { ApprovalRequests } from './approval-requests.port.js';
import { DecisionRecorder, RecordInDoubtError } from './decision-recorder.js';
import type { DecisionRow } from './decision-row.js';
import { PART_WEIGHT } from '../decide/policy-weight.js';
import { weightOf } from './record-weight.js';
import type { RecordKeeping } from './record-keeping.js';
import { RecordWriter, type RecordEntry } from './record-writer.js';

/** Takes the recorder's statement, and fails where it is told to. */
class FakeDatabase {
  readonly batches: { orgId: string; ids: string[] }[] = [];
  /** What was tried, whether or not it failed. */
  readonly statements: string[] = [];
  transactions = 0;
  /** Ids that are there already. */
  readonly known = new Set<string>();
  fault: ((ids: string[]) => Error | undefined) | undefined;
  /** What a statement, and a commit, of an organization waits for. */
  readonly slow = new Map<string, Promise<unknown>>();
  readonly slowCommit = new Map<string, Promise<unknown>>();
  lastWork: () => Promise<void> = async () => {};

  async transaction(orgId: string, work: (em: unknown) => Promise<unknown>): Promise<unknown> {
    this.transactions++;
    const written: { orgId: string; ids: string[] }[] = [];
    // The statement takes one array per column, the ids first.
    const executeQuery = async ({ sql, parameters }: { sql: string; parameters: [string, string] }) => {
      this.statements.push(sql);
      // An array literal of UUIDs: nothing in it is escaped.
      const ids = parameters[1].slice(1, -1).replaceAll('"', '').split(',');
      const error = this.fault?.(ids);
      if (error) throw error;
      await this.slow.get(orgId);
      written.push({ orgId, ids });
      return { rows: ids.filter(id => !this.known.has(id)).map(id => ({ id })) };
    };
    const result = await work({ getKysely: () => ({ executeQuery }) });
    await this.slowCommit.get(orgId);
    this.batches.push(...written);
    return result;
  }

  beforeClose(work: () => Promise<void>): void {
    this.lastWork = work;
  }

  get ids(): string[] {
    return this.batches.flatMap(batch => batch.ids);
  }
}

/** Takes the violations of the records that were written. */
class FakeDesk {
  readonly raised: Occurrence[] = [];

  async raise(_em: unknown, _orgId: string, occurrences: readonly Occurrence[]): Promise<void> {
    this.raised.push(...occurrences);
  }
}

function row(id: string, idempotency_key?: string): DecisionRow {
  return {
    id,
    occurred_at: '2026-11-20T12:00:00.000Z',
    provider: 'p',
    model: 'm',
    action: 'allow',
    allowed: true,
    reason: 'no_policy_matched',
    policies: [],
    attributes: {},
    idempotency_key,
    sample_rate: 1,
  };
}

const VIOLATION: Occurrence = {
  type: 'policy_violation',
  severity: 'high',
  userId: 'u',
  userEmail: null,
  policyId: 'p',
  provider: 'p',
  model: 'm',
  details: {},
  at: new Date('2026-11-20T12:00:00.000Z'),
  decisionId: '1',
  action: 'block',
  event: () => ({ type: 'ping', data: {} }),
};

function entryFor(of: DecisionRow, violations: readonly Occurrence[] = []): RecordEntry {
  const written = of.policies.length * PART_WEIGHT;
  return { row: of, violations, weight: weightOf(of, violations.length, { held: 0, written, told: 0 }) };
}

/** Whether it was written by this call. */
async function recordNow(orgId: string, entry: DecisionRow, violations: readonly Occurrence[]): Promise<boolean> {
  return (await recorder.recordAllNow(orgId, [entryFor(entry, violations)])).has(entry.id);
}

/** What came of it, the error included. */
const outcomeOf = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(work).catch((error: unknown) => error);

const outage = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
const badValue = () => new Error('bad', { cause: Object.assign(new Error('bad json'), { code: '22P05' }) });

let database: FakeDatabase;
let desk: FakeDesk;
let recorder: DecisionRecorder;
let errors: jest.SpiedFunction<Logger['error']>;

beforeEach(() => {
  jest.useFakeTimers();
  errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  database = new FakeDatabase();
  desk = new FakeDesk();
  // The recorder uses two methods of the database, the writer one of the incidents and one field of what is kept.
  // Nothing waits for an approval.
  const keeping = { retentionDays: 90 } as RecordKeeping;
  const writer = new RecordWriter(desk as unknown as IncidentRecorder, {} as ApprovalRequests, keeping);
  recorder = new DecisionRecorder(database as unknown as OrgDatabase, writer);
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('decision records', () => {
  it('are written together within 50 ms, one transaction per organization', async () => {
    recorder.record('a', entryFor(row('1')));
    recorder.record('b', entryFor(row('2')));
    recorder.record('a', entryFor(row('3')));
    expect(database.batches).toEqual([]);
    await jest.advanceTimersByTimeAsync(50);
    expect(database.batches).toEqual([
      { orgId: 'a', ids: ['1', '3'] },
      { orgId: 'b', ids: ['2'] },
    ]);
  });

  it('are written at once when many wait, in statements of limited size; the rest waits for company', async () => {
    for (let at = 0; at < 5_000; at++) recorder.record('a', entryFor(row(String(at))));
    await jest.advanceTimersByTimeAsync(0);
    expect(database.batches.map(batch => batch.ids.length)).toEqual([2_000, 2_000]);
    await jest.advanceTimersByTimeAsync(50);
    expect(database.ids).toHaveLength(5_000);
  });

  it('make smaller statements where many policies matched', async () => {
    const matched = { id: 'p', name: 'p', action: 'alert', version: 1, matched_conditions: [] } as const;
    for (let at = 0; at < 10; at++)
      recorder.record('a', entryFor({ ...row(String(at)), policies: Array.from({ length: 499 }, () => matched) }));
    await jest.advanceTimersByTimeAsync(50);
    expect(database.batches.map(batch => batch.ids.length)).toEqual([4, 4, 2]);
  });

  it('are all written for a reader, also those that came while others were being written', async () => {
    let written: (() => void) | undefined;
    const slow = new Promise<void>(done => (written = done));
    const original = database.transaction.bind(database);
    jest.spyOn(database, 'transaction').mockImplementationOnce(async (orgId, work) => {
      await slow;
      return original(orgId, work);
    });
    recorder.record('a', entryFor(row('1')));
    await jest.advanceTimersByTimeAsync(50);
    recorder.record('a', entryFor(row('2')));
    const settled = recorder.settle();
    written?.();
    await settled;
    expect(database.ids).toEqual(['1', '2']);
  });

  it('survive a database outage, which is reported once', async () => {
    database.fault = outage;
    recorder.record('a', entryFor(row('1')));
    await jest.advanceTimersByTimeAsync(30_000);
    recorder.record('a', entryFor(row('2')));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(errors).toHaveBeenCalledTimes(1);
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(3_000);
    expect(database.ids).toEqual(['1', '2']);
  });

  it('that may have been written, though nobody heard of it, are written where they are not there', async () => {
    database.fault = outage;
    recorder.record('a', entryFor(row('1')));
    await jest.advanceTimersByTimeAsync(100);
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(100);
    recorder.record('a', entryFor(row('2')));
    await jest.advanceTimersByTimeAsync(50);
    const unlessThere = database.statements.map(sql => sql.includes('on conflict do nothing'));
    expect(unlessThere).toEqual([false, true, false]);
  });

  it('are not held up by one that PostgreSQL can never take', async () => {
    database.fault = ids => (ids.includes('3') ? badValue() : undefined);
    for (const id of ['1', '2', '3', '4', '5']) recorder.record('a', entryFor(row(id)));
    await jest.advanceTimersByTimeAsync(50);
    expect(database.ids.sort()).toEqual(['1', '2', '4', '5']);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining('(3'));
  });

  it('are not held up by one that is larger than a text can be: it alone is lost', async () => {
    database.fault = ids => (ids.includes('3') ? new RangeError('Invalid string length') : undefined);
    for (const id of ['1', '2', '3', '4', '5']) recorder.record('a', entryFor(row(id)));
    await jest.advanceTimersByTimeAsync(50);
    expect(database.ids.sort()).toEqual(['1', '2', '4', '5']);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining('1 decision records could not be written (3'));
  });

  it('of one organization are not held up by what is in the way of another, now and later', async () => {
    database.fault = ids => (ids.includes('stuck') ? new Error('who knows') : undefined);
    recorder.record('a', entryFor(row('stuck')));
    recorder.record('b', entryFor(row('1')));
    await jest.advanceTimersByTimeAsync(50);
    expect(database.ids).toEqual(['1']);
    recorder.record('b', entryFor(row('2')));
    await jest.advanceTimersByTimeAsync(50);
    expect(database.ids).toEqual(['1', '2']);
    await jest.advanceTimersByTimeAsync(30_000);
    expect(errors).toHaveBeenCalledTimes(1);
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(2_000);
    expect(database.ids).toEqual(['1', '2', 'stuck']);
  });

  it('of one organization are written while another waits for its turn in an outage', async () => {
    database.fault = ids => (ids.includes('locked') ? outage() : undefined);
    recorder.record('a', entryFor(row('locked')));
    for (let at = 0; at < 10; at++) recorder.record(`b${at}`, entryFor(row(String(at))));
    await jest.advanceTimersByTimeAsync(60);
    expect(database.ids).toHaveLength(10);
  });

  it('that something is in the way of are waited for when the database closes', async () => {
    database.fault = () => new Error('who knows');
    recorder.record('a', entryFor(row('1')));
    await jest.advanceTimersByTimeAsync(50);
    const closed = database.lastWork();
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(200);
    await closed;
    expect(database.ids).toEqual(['1']);
  });

  it('make decisions wait beyond 100,000 of one match each, at most five seconds, and go on when there is room', async () => {
    database.fault = outage;
    for (let at = 0; at < 199_999; at++) recorder.record('a', entryFor(row('x')));
    expect(recorder.room('a')).toBeUndefined();
    recorder.record('a', entryFor(row('x')));
    const refused = outcomeOf(recorder.room('a'));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await refused).toBeInstanceOf(UnavailableError);
    const waiting = recorder.room('a');
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(3_000);
    await expect(waiting).resolves.toBeUndefined();
    expect(recorder.room('a')).toBeUndefined();
    expect(database.ids).toHaveLength(200_000);
  });

  it('reach the database before it closes', async () => {
    recorder.record('a', entryFor(row('1')));
    await database.lastWork();
    expect(database.ids).toEqual(['1']);
  });

  it('do not keep a process alive for longer than ten seconds when the database is away, and say what is lost', async () => {
    database.fault = outage;
    recorder.record('a', entryFor(row('1')));
    const closed = database.lastWork();
    await jest.advanceTimersByTimeAsync(10_000);
    await closed;
    expect(errors).toHaveBeenLastCalledWith(expect.stringContaining('1 decision records could not be written'));
  });
});

describe('a record with a key', () => {
  it('is written at once and says whether it was the first', async () => {
    const first = recordNow('a', row('1', 'k'), []);
    await jest.advanceTimersByTimeAsync(1);
    await expect(first).resolves.toBe(true);
  });

  it('raises incidents only where it was the first', async () => {
    const first = recordNow('a', row('1', 'k'), [VIOLATION]);
    await jest.advanceTimersByTimeAsync(1);
    await first;
    expect(desk.raised).toEqual([VIOLATION]);
    database.known.add('2');
    const second = recordNow('a', row('2', 'k'), [VIOLATION]);
    await jest.advanceTimersByTimeAsync(1);
    await expect(second).resolves.toBe(false);
    expect(desk.raised).toEqual([VIOLATION]);
  });

  it('that was written, though nobody heard of it, tells of nothing again', async () => {
    const answered = recordNow('a', row('1'), [VIOLATION]);
    database.fault = outage;
    await jest.advanceTimersByTimeAsync(10);
    database.fault = undefined;
    database.known.add('1');
    await jest.advanceTimersByTimeAsync(200);
    await expect(answered).resolves.toBe(false);
    expect(desk.raised).toEqual([]);
  });

  it('is refused at once where it can never be written', async () => {
    database.fault = badValue;
    const refused = outcomeOf(recordNow('a', row('1', 'k'), [VIOLATION]));
    await jest.advanceTimersByTimeAsync(1);
    expect(await refused).toBeInstanceOf(UnavailableError);
    expect(desk.raised).toEqual([]);
  });

  it('is refused after five seconds without a database', async () => {
    database.fault = outage;
    const refused = outcomeOf(recordNow('a', row('1', 'k'), []));
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await refused).toBeInstanceOf(UnavailableError);
  });
});

describe('records that were not written in time', () => {
  // A little beyond five seconds, for what they weigh.
  const LATE = 5_010;

  it('are never written: those that were not begun', async () => {
    database.fault = outage;
    recorder.record('a', entryFor(row('0')));
    await jest.advanceTimersByTimeAsync(60);
    const refused = outcomeOf(recordNow('a', row('1', 'k'), [VIOLATION]));
    await jest.advanceTimersByTimeAsync(LATE);
    expect(await refused).not.toBeInstanceOf(RecordInDoubtError);
    expect(recorder.waitingRecords).toBe(0);
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(database.ids).toEqual(['0']);
    expect(desk.raised).toEqual([]);
  });

  it('are never written: those that were tried, and what was beside them is', async () => {
    database.fault = outage;
    const refused = outcomeOf(recordNow('a', row('1'), [VIOLATION]));
    recorder.record('a', entryFor(row('2')));
    await jest.advanceTimersByTimeAsync(LATE);
    expect(await refused).toBeInstanceOf(UnavailableError);
    database.fault = undefined;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(database.ids).toEqual(['2']);
    expect(desk.raised).toEqual([]);
  });

  it('are taken out of a transaction that goes on without end so far', async () => {
    let go: (() => void) | undefined;
    database.slow.set('a', new Promise<void>(done => (go = done)));
    const refused = outcomeOf(recordNow('a', row('1'), [VIOLATION]));
    recorder.record('a', entryFor(row('2')));
    await jest.advanceTimersByTimeAsync(LATE);
    expect(await refused).not.toBeInstanceOf(RecordInDoubtError);
    go?.();
    await jest.advanceTimersByTimeAsync(100);
    expect(database.ids).toEqual(['2']);
  });

  it('are waited for a little longer where they are being committed', async () => {
    database.slowCommit.set('a', new Promise(done => setTimeout(done, LATE + 1_000)));
    const written = recordNow('a', row('1'), []);
    await jest.advanceTimersByTimeAsync(LATE + 1_000);
    await expect(written).resolves.toBe(true);
  });

  it('are named where nobody can know, because the commit was not heard of', async () => {
    const lost = new Promise((_, fail) => setTimeout(fail, 1_000, outage()));
    lost.catch(() => undefined);
    database.slowCommit.set('a', lost);
    const refused = outcomeOf(recordNow('a', row('the-id'), []));
    await jest.advanceTimersByTimeAsync(1_000);
    database.fault = outage;
    await jest.advanceTimersByTimeAsync(LATE - 1_000);
    const error = await refused;
    expect(error).toBeInstanceOf(RecordInDoubtError);
    expect(String(error)).toContain('the-id');
  });

  it('have more time where there is much to write', async () => {
    database.slow.set('a', new Promise(done => setTimeout(done, 2 * LATE)));
    const note = 'x'.repeat(6_000_000);
    const large = recordNow('a', { ...row('1'), attributes: { attributes: { note } } }, []);
    await jest.advanceTimersByTimeAsync(2 * LATE);
    await expect(large).resolves.toBe(true);
  });
});

describe('records of one caller', () => {
  const bundle = ['1', '2', '3'].map(id => entryFor(row(id), [VIOLATION]));

  it('are written in one transaction, all of them or none', async () => {
    database.fault = ids => (ids.includes('3') ? badValue() : undefined);
    const refused = outcomeOf(recorder.recordAllNow('a', bundle));
    const other = recordNow('a', row('4'), []);
    await jest.advanceTimersByTimeAsync(1);
    expect(await refused).toBeInstanceOf(UnavailableError);
    await expect(other).resolves.toBe(true);
    expect(database.ids).toEqual(['4']);
    expect(desk.raised).toEqual([]);
  });

  it('take several statements where they are large, in the same transaction', async () => {
    const note = 'x'.repeat(1_100_000);
    const entries = ['1', '2', '3'].map(id => {
      return entryFor({ ...row(id), attributes: { attributes: { note } } }, [VIOLATION]);
    });
    const written = recorder.recordAllNow('a', entries);
    await jest.advanceTimersByTimeAsync(1);
    expect([...(await written).keys()]).toEqual(['1', '2', '3']);
    expect(database.batches.map(({ ids }) => ids)).toEqual([['1'], ['2'], ['3']]);
    expect(database.transactions).toBe(1);
    expect(desk.raised).toHaveLength(3);
  });
});

describe('an organization', () => {
  const never = new Promise(() => {});

  it('is not held up by another whose statements take long', async () => {
    database.slow.set('a', never);
    for (let at = 0; at < 6; at++) void outcomeOf(recordNow('a', row(`a${at}`), []));
    await jest.advanceTimersByTimeAsync(60);
    for (let at = 6; at < 9; at++) void outcomeOf(recordNow('a', row(`a${at}`), []));
    const other = recordNow('b', row('1'), [VIOLATION]);
    await jest.advanceTimersByTimeAsync(1);
    await expect(other).resolves.toBe(true);
  });

  it('has room where another has none', async () => {
    database.fault = outage;
    const note = 'x'.repeat(1_000_000);
    for (let at = 0; at < 103; at++)
      recorder.record('a', entryFor({ ...row('1'), attributes: { attributes: { note } } }));
    const waiting = recorder.room('a');
    void outcomeOf(waiting);
    expect(waiting).toBeInstanceOf(Promise);
    expect(recorder.room('b')).toBeUndefined();
  });

  it('has what somebody waits for written before what nobody does', async () => {
    for (let at = 0; at < 10_000; at++) recorder.record('a', entryFor(row(`x${at}`)));
    const urgent = recordNow('a', row('urgent'), []);
    await jest.advanceTimersByTimeAsync(0);
    await expect(urgent).resolves.toBe(true);
    expect(database.batches.findIndex(({ ids }) => ids.includes('urgent'))).toBeLessThanOrEqual(1);
  });
});
