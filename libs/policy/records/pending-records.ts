import { UnavailableError } from '#core';
import type { RecordEntry, StoredRecords } from './record-writer.js';
import type { Weight } from './record-weight.js';

/** Decisions cannot be made now; nothing of what was asked for has been recorded, and nothing will be. */
export const BEHIND = 'Decisions cannot be recorded at present, so none are made; try again shortly.';

/** How long a commit that is under way is waited for beyond the time that there was. */
const COMMIT_MS = 2_000;

/** Whether decisions were recorded is not known; the answer names them. */
export class RecordInDoubtError extends UnavailableError {
  constructor(entries: readonly RecordEntry[]) {
    const ids = entries.map(({ row }) => row.id).join(', ');
    super(
      `The database was lost while it took the record, so it may be there: look up GET /v1/decisions/<id> before you ask again, unless you repeat an idempotency_key. Decisions that may be recorded: ${ids}.`,
    );
  }
}

/** Those that were not there before; undefined where they can never be written. */
type Outcome = StoredRecords | undefined;

/** Records of one caller on their way to the database: all of them get there, or none. */
export class PendingRecords {
  readonly weight: Weight;
  /** Nobody waits for them any more: they must not be written. */
  isAbandoned = false;
  /** Whether a commit is under way that has them in it. */
  isCommitting = false;
  /** Whether a commit was not heard of that had them in it. */
  isInDoubt = false;
  /** Whether they are done with, one way or another. */
  isReleased = false;
  private settle: ((outcome: Outcome) => void) | undefined;

  constructor(readonly entries: readonly RecordEntry[]) {
    const weight = { held: 0, written: 0 };
    for (const entry of entries) {
      weight.held += entry.weight.held;
      weight.written += entry.weight.written;
    }
    this.weight = weight;
  }

  get isAwaited(): boolean {
    return this.settle !== undefined;
  }

  /** What came of them. */
  done(outcome: Outcome): void {
    this.settle?.(outcome);
  }

  /**
   * Waits until they are written: those that were not there before. When the time is over, they are not written
   * any more, except in a commit that is under way, which is waited for.
   * @param begin sends them on their way, and says how many milliseconds they have
   * @throws UnavailableError where none of them is recorded, and none will be
   * @throws RecordInDoubtError where nobody can know
   */
  async whenWritten(begin: () => number): Promise<StoredRecords> {
    const outcome = new Promise<Outcome>(settle => (this.settle = settle));
    let found = await soon(begin(), outcome);
    if (found === 'late' && this.isCommitting) found = await soon(COMMIT_MS, outcome);
    if (typeof found === 'object') return found;
    this.isAbandoned = true;
    if (this.isCommitting || this.isInDoubt) throw new RecordInDoubtError(this.entries);
    throw new UnavailableError(BEHIND);
  }
}

function soon(milliseconds: number, outcome: Promise<Outcome>): Promise<Outcome | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(done => (timer = setTimeout(done, milliseconds, 'late')));
  return Promise.race([outcome, late]).finally(() => clearTimeout(timer));
}
