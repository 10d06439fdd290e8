import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';
import { IncidentRecorder } from '#incidents';
import { ApprovalRequests, type AttachedApprovals, type AwaitingRow } from './approval-requests.port.js';
import { addHits } from './hit-counts.js';
import { insertDecisions, type DecisionRow, type WriteOptions } from './decision-row.js';
import { RecordKeeping } from './record-keeping.js';
import { BATCH_WEIGHT, type Weight } from './record-weight.js';
import { occurrencesOf, type OccurrenceList } from './occurrence-list.js';

/** Maximum number of occurrences per statement. Other work of the process can run between two statements. */
const OCCURRENCES_AT_ONCE = 500;

/** A decision record to write, and its effects. */
export interface RecordEntry {
  readonly row: DecisionRow;
  /** Violations of the decision. In the transaction of the record, they raise incidents and emit events. */
  readonly violations: OccurrenceList;
  readonly weight: Weight;
}

/** The new records by id, as they were written: with the required approval. */
export type StoredRecords = ReadonlyMap<string, DecisionRow>;

/** Writes decisions and their effects in a transaction of the organization. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly approvals: ApprovalRequests,
    private readonly keeping: RecordKeeping,
  ) {}

  /**
   * Attaches required approvals, writes the records, raises the incidents of violations, and counts the requests for
   * approval and the hits of policies. If a record already exists, by its id or its idempotency key, it has no further
   * effects. The result contains new records only if a caller waits for one of them; otherwise it is empty. Only
   * awaited records have violations or require an approval.
   */
  async write(
    em: EntityManager,
    orgId: string,
    entries: readonly RecordEntry[],
    options: WriteOptions,
  ): Promise<StoredRecords> {
    const attached = await this.attach(em, orgId, entries);
    const stored = new Map<string, DecisionRow>();
    const written: DecisionRow[] = [];
    for (const piece of piecesOf(entries)) {
      const rows = piece.map(({ row }) => withApproval(row, attached));
      written.push(...(await insertDecisions(sqlOf(em), orgId, rows, options.isRepeat, this.keeping.retentionDays)));
    }
    if (options.isAwaited) for (const row of written) stored.set(row.id, row);
    const violations = entries.filter(({ row }) => stored.has(row.id)).map(entry => entry.violations);
    for (const group of occurrencesOf(violations, OCCURRENCES_AT_ONCE)) await this.incidents.raise(em, orgId, group);
    await attached?.conclude(stored);
    // This statement comes last, because other replicas wait for the locks of these rows until the commit.
    await addHits(sqlOf(em), orgId, written);
    return stored;
  }

  private async attach(
    em: EntityManager,
    orgId: string,
    entries: readonly RecordEntry[],
  ): Promise<AttachedApprovals | undefined> {
    const rows = entries.map(({ row }) => row).filter(isAwaiting);
    return rows.length === 0 ? undefined : this.approvals.attach(em, orgId, rows);
  }
}

function isAwaiting(row: DecisionRow): row is AwaitingRow {
  return row.requiredApproval !== undefined;
}

function withApproval(row: DecisionRow, attached: AttachedApprovals | undefined): DecisionRow {
  const approvalId = attached?.ids.get(row.id);
  return approvalId === undefined ? row : { ...row, approval_id: approvalId };
}

/** Splits the records into statements, nearly always one. A very long statement would block the event loop. */
function piecesOf(entries: readonly RecordEntry[]): readonly (readonly RecordEntry[])[] {
  if (entries.reduce((sum, { weight }) => sum + weight.written, 0) <= 2 * BATCH_WEIGHT) return [entries];
  const pieces: RecordEntry[][] = [];
  let written = BATCH_WEIGHT;
  for (const entry of entries) {
    if (written >= BATCH_WEIGHT) {
      pieces.push([]);
      written = 0;
    }
    pieces.at(-1)?.push(entry);
    written += entry.weight.written;
  }
  return pieces;
}
