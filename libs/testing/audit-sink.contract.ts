import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import type { AuditRecord, AuditSink } from '#siem';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A sink under test. Created for each case. */
export interface AuditSinkGround extends Closable {
  readonly sink: AuditSink;
  /**
   * The `metadata.uid` of all records that have arrived at the target, in order. Omit it if the arrived records cannot
   * be read.
   */
  readonly arrived?: () => Promise<readonly string[]> | readonly string[];
  /** Makes the target of the sink unreachable. Omit it if that is impossible. */
  readonly cutOff?: () => Promise<void> | void;
}

const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';
const OTHER = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c61';
const BATCH_MAX = 500;
const ODD_TEXTS = ['', '\u0000', 'a\nb', '\u2028', '"', '\\', '%s %d', '__proto__', '🙂', 'a'.repeat(100_000)];

const RULES: Record<string, (ground: AuditSinkGround) => Promise<void> | void> = {
  'has a name under which positions are stored'({ sink }) {
    match(sink.name, /^[a-z0-9_-]{1,40}$/);
  },
  async 'has stored a batch in order when it resolves'({ sink, arrived }) {
    const records = [1, 2, 3].map(n => recordOf(n));
    await write(sink, records);
    if (arrived) deepEqual(await arrived(), uidsOf(records));
  },
  async 'accepts the largest batch'({ sink, arrived }) {
    const records = Array.from({ length: BATCH_MAX }, (_, at) => recordOf(at + 1));
    await write(sink, records);
    if (arrived) deepEqual(await arrived(), uidsOf(records));
  },
  async 'accepts concurrent batches of several organizations and of none'({ sink, arrived }) {
    const batches = [[recordOf(1)], [recordOf(2, { orgId: OTHER })], [recordOf(3, { orgId: null })]];
    await Promise.all(batches.map(records => write(sink, records)));
    if (arrived) deepEqual([...(await arrived())].toSorted(), batches.flatMap(uidsOf));
  },
  async 'accepts any text in an event'({ sink, arrived }) {
    const records = ODD_TEXTS.map((message, at) => recordOf(at + 1, { message }));
    await write(sink, records);
    if (arrived) deepEqual(await arrived(), uidsOf(records));
  },
  async 'accepts repeated records'({ sink, arrived }) {
    await write(sink, [recordOf(1)]);
    await write(sink, [recordOf(1, { mayBeRepeated: true }), recordOf(2)]);
    // A sink may drop a record that it has already received.
    if (arrived) deepEqual([...new Set(await arrived())], uidsOf([recordOf(1), recordOf(2)]));
  },
  async 'does not change the records'({ sink }) {
    const records = [recordOf(1), recordOf(2)];
    const before = JSON.stringify(records);
    await write(sink, records);
    equal(JSON.stringify(records), before);
  },
  async 'rejects if the signal is already aborted'({ sink }) {
    await rejects(sink.write([recordOf(1)], AbortSignal.abort()));
  },
  async 'rejects with an error while its target is unreachable'({ sink, cutOff }) {
    if (!cutOff) return;
    await cutOff();
    const error: unknown = await write(sink, [recordOf(1)]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    ok(error instanceof Error && error.message !== '', 'it is rejected with an error that has a message');
  },
};

function write(sink: AuditSink, records: readonly AuditRecord[]): Promise<void> {
  return sink.write(records, new AbortController().signal);
}

function recordOf(
  n: number,
  given: { orgId?: string | null; mayBeRepeated?: boolean; message?: string } = {},
): AuditRecord {
  const { orgId = ORG, mayBeRepeated = false, message = 'policy.updated' } = given;
  const uid = `0199c2a8-7f00-7a31-9d42-${String(n).padStart(12, '0')}`;
  const at = new Date('2026-11-20T12:00:00Z');
  const metadata = { version: '1.8.0', uid, ...(mayBeRepeated && { labels: ['may_be_repeated'] }) };
  const event = { class_uid: 6003, activity_id: 3, time: at.getTime(), severity_id: 1, message, metadata };
  return { uid, orgId, at, mayBeRepeated, event };
}

function uidsOf(records: readonly AuditRecord[]): string[] {
  return records.map(({ uid }) => uid);
}

/** The contract of `AuditSink`: the cases that every sink must pass. `makeGround` is called for each case. */
export function auditSinkContract(
  makeGround: () => Promise<AuditSinkGround> | AuditSinkGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
