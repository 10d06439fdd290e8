import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sqlOf } from '#database';
import { IncidentRecorder } from '#incidents';
import { insertDecisions, type DecisionRow, type WriteOptions } from './decision-row.js';
import type { RecordCompanion } from './record-companion.js';
import { RecordKeeping } from './record-keeping.js';
import { occurrencesOf, type OccurrenceList } from './occurrence-list.js';

/** Of many violations, so many are told of in one statement: others get a word in between. */
const OCCURRENCES_AT_ONCE = 500;

/** A decision to be written, with what goes with it. */
export interface RecordEntry {
  readonly row: DecisionRow;
  /** Its violations; they raise incidents, and are told of, in the transaction of the record, or not at all. */
  readonly violations: OccurrenceList;
  /** What else goes with the record. */
  readonly companion?: RecordCompanion | undefined;
}

/** Writes decisions and all that goes with them, in a transaction of the organization. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly keeping: RecordKeeping,
  ) {}

  /**
   * Writes pieces one after the other, then raises the incidents of all. Returns the ids of those that were not there
   * before, under their id or their idempotency key, where somebody waits to know; what goes with the others is not
   * written again.
   */
  async write(
    em: EntityManager,
    orgId: string,
    pieces: readonly (readonly RecordEntry[])[],
    options: WriteOptions,
  ): Promise<ReadonlySet<string>> {
    const stored = new Set<string>();
    const violations: OccurrenceList[] = [];
    for (const piece of pieces) {
      for (const id of await this.enter(em, orgId, piece, options)) stored.add(id);
      for (const { row, violations: own } of piece) if (stored.has(row.id)) violations.push(own);
    }
    for (const group of occurrencesOf(violations, OCCURRENCES_AT_ONCE)) await this.incidents.raise(em, orgId, group);
    for (const [companion, group] of Map.groupBy(pieces.flat(), entry => entry.companion)) {
      await companion?.conclude(em, orgId, rowsOf(group));
    }
    return stored;
  }

  private async enter(
    em: EntityManager,
    orgId: string,
    entries: readonly RecordEntry[],
    options: WriteOptions,
  ): Promise<ReadonlySet<string>> {
    const { retentionDays } = this.keeping;
    const companions = Map.groupBy(entries, entry => entry.companion);
    for (const [companion, group] of companions) await companion?.prepare(em, orgId, rowsOf(group));
    const stored = await insertDecisions(sqlOf(em), orgId, rowsOf(entries), options, retentionDays);
    for (const [companion, group] of companions) await companion?.complete(em, orgId, rowsOf(group), stored);
    return stored;
  }
}

function rowsOf(entries: readonly RecordEntry[]): DecisionRow[] {
  return entries.map(entry => entry.row);
}
