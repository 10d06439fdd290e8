import { isOutage, OrgDatabase } from '#database';
import type { PendingRecords } from './pending-records.js';
import type { RecordWriter, StoredRecords } from './record-writer.js';
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
   * Writes all records of a group, or none; returns those that were not there before, where somebody waits to know.
   * @throws AbandonedError where somebody stopped waiting before the commit began
   */
  async write(orgId: string, group: readonly PendingRecords[], isRepeat: boolean): Promise<StoredRecords> {
    const options = { isAwaited: group.some(({ isAwaited }) => isAwaited), isRepeat };
    const entries = group.flatMap(pending => pending.entries);
    try {
      return await this.turns.take(() =>
        this.database.transaction(orgId, async em => {
          const stored = await this.writer.write(em, orgId, entries, options);
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
