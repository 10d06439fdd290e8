import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { UnavailableError } from '#core';
import { OrgDatabase } from '#database';
import type { IncidentRecorder, Occurrence } from '#incidents';
import type { ApprovalRequests } from './approval-requests.port.js';
import { RecentDecisions } from './recent-decisions.js';
import { DecisionRecorder, RecordInDoubtError } from './decision-recorder.js';
import type { DecisionRow } from './decision-row.js';
import type { RecordKeeping } from './record-keeping.js';
import { RecordWriter } from './record-writer.js';
import { entryFor, FakeDatabase, FakeIncidents, row, VIOLATION } from '../testing/recorder-fakes.js';

/** Queues records with these ids for writing. */
function record(orgId: string, ...ids: string[]): void {
  for (const id of ids) recorder.record(orgId, entryFor(row(id)));
}

/** Writes a record and waits for it. Returns whether the record is new. */
async function recordNow(orgId: string, of: DecisionRow, ...violations: Occurrence[]): Promise<boolean> {
  return (await recorder.recordAllNow(orgId, [entryFor(of, violations)])).has(of.id);
}

/** The result of the work, or the error with which it failed. */
const outcomeOf = (work: Promise<unknown> | undefined): Promise<unknown> =>
  Promise.resolve(work).catch((error: unknown) => error);

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

/** Advances the fake time while the work runs, and returns the result of the work. */
async function after<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  await pass(milliseconds);
  return work;
}

const outage = () => Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
const badValue = () => new Error('bad', { cause: Object.assign(new Error('bad json'), { code: '22P05' }) });

let database: FakeDatabase;
let incidents: FakeIncidents;
let recorder: DecisionRecorder;
let errors: jest.SpiedFunction<Logger['error']>;

beforeEach(() => {
  jest.useFakeTimers();
  errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  database = new FakeDatabase();
  incidents = new FakeIncidents();
  // The recorder and the writer use only these members. No record of these tests requires an approval.
  const keeping = { retentionDays: 90 } as RecordKeeping;
  const writer = new RecordWriter(incidents as unknown as IncidentRecorder, {} as ApprovalRequests, keeping);
  recorder = new DecisionRecorder(database as unknown as OrgDatabase, writer, new RecentDecisions());
});

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('decision records', () => {
  it('are written together within 50 ms, one transaction per organization', async () => {
    record('a', '1');
    record('b', '2');
    record('a', '3');
    expect(database.batches).toEqual([]);
    await pass(50);
    expect(database.batches).toEqual([
      { orgId: 'a', ids: ['1', '3'] },
      { orgId: 'b', ids: ['2'] },
    ]);
  });

  it('are written at once when a batch is full; the rest waits', async () => {
    for (let at = 0; at < 5_000; at++) record('a', String(at));
    await pass(0);
    expect(database.batches.map(batch => batch.ids.length)).toEqual([2_000, 2_000]);
    await pass(50);
    expect(database.ids).toHaveLength(5_000);
  });

  it('are written in smaller batches when many policies matched', async () => {
    const matched = { id: 'p', name: 'p', action: 'alert', version: 1, matched_conditions: [] } as const;
    for (let at = 0; at < 10; at++)
      recorder.record('a', entryFor({ ...row(String(at)), policies: Array.from({ length: 499 }, () => matched) }));
    await pass(50);
    expect(database.batches.map(batch => batch.ids.length)).toEqual([4, 4, 2]);
  });

  it('are all written for a reader, also those that arrive during a write', async () => {
    let written: (() => void) | undefined;
    const slow = new Promise<void>(done => (written = done));
    const original = database.transaction.bind(database);
    jest.spyOn(database, 'transaction').mockImplementationOnce(async (orgId, work) => {
      await slow;
      return original(orgId, work);
    });
    record('a', '1');
    await pass(50);
    record('a', '2');
    const settled = recorder.settle();
    written?.();
    await settled;
    expect(database.ids).toEqual(['1', '2']);
  });

  it('are written after an outage of the database, which is logged once', async () => {
    database.fault = outage;
    record('a', '1');
    await pass(30_000);
    record('a', '2');
    await pass(1_000);
    expect(errors).toHaveBeenCalledTimes(1);
    database.fault = undefined;
    await pass(3_000);
    expect(database.ids).toEqual(['1', '2']);
  });

  it('are written with a check for existing rows after a failed commit', async () => {
    database.fault = outage;
    record('a', '1');
    await pass(100);
    database.fault = undefined;
    await pass(100);
    record('a', '2');
    await pass(50);
    const unlessThere = database.statements.map(sql => sql.includes('on conflict do nothing'));
    expect(unlessThere).toEqual([false, true, false]);
  });

  it.each([
    ['invalid', badValue],
    ['too large', () => new RangeError('Invalid string length')],
  ])('are written without a record that is %s, which is lost', async (_, fault) => {
    database.fault = ids => (ids.includes('3') ? fault() : undefined);
    record('a', '1', '2', '3', '4', '5');
    await pass(50);
    expect(database.ids.sort()).toEqual(['1', '2', '4', '5']);
    expect(errors).toHaveBeenCalledWith(expect.stringContaining('1 decision records could not be written (3'));
  });

  it('of one organization are not delayed by errors of another', async () => {
    database.fault = ids => (ids.includes('stuck') ? new Error('who knows') : undefined);
    record('a', 'stuck');
    record('b', '1');
    await pass(50);
    expect(database.ids).toEqual(['1']);
    record('b', '2');
    await pass(50);
    expect(database.ids).toEqual(['1', '2']);
    await pass(30_000);
    expect(errors).toHaveBeenCalledTimes(1);
    database.fault = undefined;
    await pass(2_000);
    expect(database.ids).toEqual(['1', '2', 'stuck']);
  });

  it('of one organization are written while another one retries', async () => {
    database.fault = ids => (ids.includes('locked') ? outage() : undefined);
    record('a', 'locked');
    for (let at = 0; at < 10; at++) record(`b${at}`, String(at));
    await pass(60);
    expect(database.ids).toHaveLength(10);
  });

  it('are retried when the database closes', async () => {
    database.fault = () => new Error('who knows');
    record('a', '1');
    await pass(50);
    const closed = database.lastWork();
    database.fault = undefined;
    await pass(200);
    await closed;
    expect(database.ids).toEqual(['1']);
  });

  it('make decisions wait for five seconds at most when 100,000 records with one match each are queued', async () => {
    database.fault = outage;
    for (let at = 0; at < 199_999; at++) record('a', 'x');
    expect(recorder.room('a')).toBeUndefined();
    record('a', 'x');
    expect(await after(5_000, outcomeOf(recorder.room('a')))).toBeInstanceOf(UnavailableError);
    const waiting = recorder.room('a');
    database.fault = undefined;
    await pass(3_000);
    await expect(waiting).resolves.toBeUndefined();
    expect(recorder.room('a')).toBeUndefined();
    expect(database.ids).toHaveLength(200_000);
  });

  it('are written before the database closes', async () => {
    record('a', '1');
    await database.lastWork();
    expect(database.ids).toEqual(['1']);
  });

  it('delay the stop in an outage by ten seconds at most, and are logged as lost', async () => {
    database.fault = outage;
    record('a', '1');
    const closed = database.lastWork();
    await pass(10_000);
    await closed;
    expect(errors).toHaveBeenLastCalledWith(expect.stringContaining('1 decision records could not be written'));
  });
});

describe('a record with a key', () => {
  it('is written at once, and is new', async () => {
    expect(await after(1, recordNow('a', row('1', 'k')))).toBe(true);
  });

  it('raises incidents only if it is new', async () => {
    const first = recordNow('a', row('1', 'k'), VIOLATION);
    await pass(1);
    await first;
    expect(incidents.raised).toEqual([VIOLATION]);
    database.known.add('2');
    expect(await after(1, recordNow('a', row('2', 'k'), VIOLATION))).toBe(false);
    expect(incidents.raised).toEqual([VIOLATION]);
  });

  it('raises no incidents when an earlier commit has written it', async () => {
    const answered = recordNow('a', row('1'), VIOLATION);
    database.fault = outage;
    await pass(10);
    database.fault = undefined;
    database.known.add('1');
    await pass(200);
    await expect(answered).resolves.toBe(false);
    expect(incidents.raised).toEqual([]);
  });

  it('is refused at once when it is invalid', async () => {
    database.fault = badValue;
    expect(await after(1, outcomeOf(recordNow('a', row('1', 'k'), VIOLATION)))).toBeInstanceOf(UnavailableError);
    expect(incidents.raised).toEqual([]);
  });

  it('is refused after five seconds without a database', async () => {
    database.fault = outage;
    expect(await after(5_000, outcomeOf(recordNow('a', row('1', 'k'))))).toBeInstanceOf(UnavailableError);
  });
});

describe('records that are not written in time', () => {
  // Five seconds after which records are late, plus a little time for the weight of the records.
  const LATE = 5_010;

  it('are never written when their write has not started', async () => {
    database.fault = outage;
    record('a', '0');
    await pass(60);
    expect(await after(LATE, outcomeOf(recordNow('a', row('1', 'k'), VIOLATION)))).not.toBeInstanceOf(
      RecordInDoubtError,
    );
    expect(recorder.waitingRecords).toBe(0);
    database.fault = undefined;
    await pass(5_000);
    expect(database.ids).toEqual(['0']);
    expect(incidents.raised).toEqual([]);
  });

  it('are never written after a failed write, but other records are', async () => {
    database.fault = outage;
    const refused = outcomeOf(recordNow('a', row('1'), VIOLATION));
    record('a', '2');
    await pass(LATE);
    expect(await refused).toBeInstanceOf(UnavailableError);
    database.fault = undefined;
    await pass(5_000);
    expect(database.ids).toEqual(['2']);
    expect(incidents.raised).toEqual([]);
  });

  it('are removed from a transaction that is still running', async () => {
    let go: (() => void) | undefined;
    database.slow.set('a', new Promise<void>(done => (go = done)));
    const refused = outcomeOf(recordNow('a', row('1'), VIOLATION));
    record('a', '2');
    await pass(LATE);
    expect(await refused).not.toBeInstanceOf(RecordInDoubtError);
    go?.();
    await pass(100);
    expect(database.ids).toEqual(['2']);
  });

  it('have more time while they are being committed', async () => {
    database.slowCommit.set('a', new Promise(done => setTimeout(done, LATE + 1_000)));
    expect(await after(LATE + 1_000, recordNow('a', row('1')))).toBe(true);
  });

  it('are named in the error when the result of the commit is unknown', async () => {
    const lost = new Promise((_, fail) => setTimeout(fail, 1_000, outage()));
    lost.catch(() => undefined);
    database.slowCommit.set('a', lost);
    const refused = outcomeOf(recordNow('a', row('the-id')));
    await pass(1_000);
    database.fault = outage;
    await pass(LATE - 1_000);
    const error = await refused;
    expect(error).toBeInstanceOf(RecordInDoubtError);
    expect(String(error)).toContain('the-id');
  });

  it('have more time when they are large', async () => {
    database.slow.set('a', new Promise(done => setTimeout(done, 2 * LATE)));
    const note = 'x'.repeat(6_000_000);
    expect(await after(2 * LATE, recordNow('a', { ...row('1'), attributes: { attributes: { note } } }))).toBe(true);
  });
});

describe('records of one caller', () => {
  const bundle = ['1', '2', '3'].map(id => entryFor(row(id), [VIOLATION]));

  it('are written all or none', async () => {
    database.fault = ids => (ids.includes('3') ? badValue() : undefined);
    const refused = outcomeOf(recorder.recordAllNow('a', bundle));
    const other = recordNow('a', row('4'));
    await pass(1);
    expect(await refused).toBeInstanceOf(UnavailableError);
    await expect(other).resolves.toBe(true);
    expect(database.ids).toEqual(['4']);
    expect(incidents.raised).toEqual([]);
  });

  it('are written in several statements of one transaction when they are large', async () => {
    const note = 'x'.repeat(1_100_000);
    const entries = ['1', '2', '3'].map(id => {
      return entryFor({ ...row(id), attributes: { attributes: { note } } }, [VIOLATION]);
    });
    const written = recorder.recordAllNow('a', entries);
    await pass(1);
    expect([...(await written).keys()]).toEqual(['1', '2', '3']);
    expect(database.batches.map(({ ids }) => ids)).toEqual([['1'], ['2'], ['3']]);
    expect(database.transactions).toBe(1);
    expect(incidents.raised).toHaveLength(3);
  });
});

describe('an organization', () => {
  const never = new Promise(() => {});

  it('is not delayed by slow statements of another', async () => {
    database.slow.set('a', never);
    for (let at = 0; at < 6; at++) void outcomeOf(recordNow('a', row(`a${at}`)));
    await pass(60);
    for (let at = 6; at < 9; at++) void outcomeOf(recordNow('a', row(`a${at}`)));
    expect(await after(1, recordNow('b', row('1'), VIOLATION))).toBe(true);
  });

  it('can still queue records when the queue of another is full', async () => {
    database.fault = outage;
    const note = 'x'.repeat(1_000_000);
    for (let at = 0; at < 103; at++)
      recorder.record('a', entryFor({ ...row('1'), attributes: { attributes: { note } } }));
    const waiting = recorder.room('a');
    void outcomeOf(waiting);
    expect(waiting).toBeInstanceOf(Promise);
    expect(recorder.room('b')).toBeUndefined();
  });

  it('has awaited records written first', async () => {
    for (let at = 0; at < 10_000; at++) record('a', `x${at}`);
    expect(await after(0, recordNow('a', row('urgent')))).toBe(true);
    expect(database.batches.findIndex(({ ids }) => ids.includes('urgent'))).toBeLessThanOrEqual(1);
  });
});
