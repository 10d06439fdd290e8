import { isOutage, OrgDatabase } from '#database';
import type { PendingRecords } from './pending-records.js';
import { BATCH_WEIGHT, weightOf } from './record-weight.js';
import type { RecordEntry, RecordWriter } from './record-writer.js';
import { Turns } from './turns.js';

/** Organizations whose records are written at a time: fewer than there are connections. */
const SIDE_BY_SIDE = 4;

/** Somebody stopped waiting while their records were being written; nothing of the group was. */
export class AbandonedError extends Error {}

/** Writes groups of records, each in a transaction of its organization, a few at a time. */
export class RecordTransactions {
  private readonly turns = new Turns(SIDE_BY_SIDE);

  constructor(
    private readonly database: OrgDatabase,
    private readonly writer: RecordWriter,
  ) {}

  /**
   * Writes all records of a group, or none; returns the ids of those that were not there before, where somebody waits
   * to know.
   * @throws AbandonedError where somebody stopped waiting before the commit began
   */
  async write(orgId: string, group: readonly PendingRecords[], isRepeat: boolean): Promise<ReadonlySet<string>> {
    const options = { isAwaited: group.some(({ isAwaited }) => isAwaited), isRepeat };
    const pieces = piecesOf(group);
    try {
      return await this.turns.take(() =>
        this.database.transaction(orgId, async em => {
          const stored = await this.writer.write(em, orgId, pieces, options);
          if (group.some(({ isAbandoned }) => isAbandoned)) throw new AbandonedError();
          // From here on, nobody can take them back.
          for (const pending of group) pending.isCommitting = true;
          return stored;
        }),
      );
    } catch (error) {
      for (const pending of group) {
        if (pending.isCommitting && isOutage(error)) pending.isInDoubt = true;
        pending.isCommitting = false;
      }
      throw error;
    }
  }
}

/** What a group has, one statement each; nearly always one. A long text in one go would keep everybody waiting. */
function piecesOf(group: readonly PendingRecords[]): RecordEntry[][] {
  const entries = group.flatMap(pending => pending.entries);
  const whole = group.reduce((sum, { weight }) => sum + weight.written, 0);
  if (whole <= 2 * BATCH_WEIGHT) return [entries];
  const pieces: RecordEntry[][] = [];
  let weight = BATCH_WEIGHT;
  for (const entry of entries) {
    if (weight >= BATCH_WEIGHT) {
      pieces.push([]);
      weight = 0;
    }
    pieces.at(-1)?.push(entry);
    weight += weightOf(entry.row, entry.violations.length).written;
  }
  return pieces;
}
