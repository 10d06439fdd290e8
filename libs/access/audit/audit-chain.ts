import { commitmentOf, hashOfRow, GENESIS, type AuditRow, type Commitment } from './audit-row.js';

/** A row with its place in the chain. */
export interface ChainedRow extends AuditRow, Commitment {
  prev_hash: Buffer;
  hash: Buffer;
  /** The commitment of the content after the last erasure; null if no erasure has changed the row. */
  redaction: Buffer | null;
}

/** Number and hash of the last row. */
export interface AuditHead {
  seq: number;
  hash: Buffer;
}

/** Place and reason of a break in the chain. */
export interface ChainBreak {
  seq: number;
  reason: string;
}

/** Action of the first row of every log. A log that begins with another action was emptied and restarted. */
export const FIRST_ACTION = 'organization.created';

/** Head before the first row of a log that was never pruned. */
const BEGINNING: AuditHead = { seq: 0, hash: GENESIS };

/**
 * Checks a chain row by row. Detects rows that were altered, removed, inserted or moved, and a restarted log. Compared
 * with the head, it also detects missing or added rows at the end. An anchor is the number and hash of a row, stored
 * elsewhere. It reveals changes even if their author had the keyring and all database privileges.
 */
export class AuditChain {
  private last: AuditHead;

  /** @param start the last pruned row; the chain continues with the row after it */
  constructor(
    private readonly anchor?: AuditHead,
    private readonly start: AuditHead = BEGINNING,
  ) {
    this.last = start;
  }

  /** Number of valid rows. */
  get length(): number {
    return this.last.seq - this.start.seq;
  }

  /** The number of the last valid row. */
  get end(): number {
    return this.last.seq;
  }

  /** Checks the next row in the order of `seq`. Returns the break, if there is one. */
  take(row: ChainedRow): ChainBreak | undefined {
    const expected = this.last.seq + 1;
    if (row.seq !== expected) {
      return { seq: expected, reason: `row ${expected} is missing: the next one there is ${row.seq}` };
    }
    if (!row.hash.equals(hashOfRow(row.prev_hash, row))) {
      return { seq: expected, reason: `row ${expected} was altered: its hash does not fit its content` };
    }
    if (!commitmentOf(row.salt, row).equals(row.redaction ?? row.commitment)) {
      return { seq: expected, reason: `row ${expected} was altered: its content does not fit its commitment` };
    }
    if (!row.prev_hash.equals(this.last.hash)) {
      return {
        seq: expected,
        reason: `row ${expected} does not follow row ${this.last.seq}: it was moved or rewritten`,
      };
    }
    if (row.seq === 1 && row.action !== FIRST_ACTION) {
      return { seq: 1, reason: `row 1 is not the creation of the organization: the log was emptied and begun anew` };
    }
    if (row.seq === this.anchor?.seq && !row.hash.equals(this.anchor.hash)) {
      return { seq: row.seq, reason: `row ${row.seq} has another hash than expected: the log was rewritten` };
    }
    this.last = { seq: row.seq, hash: row.hash };
    return undefined;
  }

  /** Compares the end of the chain with the head. */
  finish(head: AuditHead | undefined): ChainBreak | undefined {
    const { seq, hash } = head ?? BEGINNING;
    if (seq === 0 && this.last.seq === 0) {
      return { seq: 1, reason: 'row 1 is missing: every log begins with the creation of its organization' };
    }
    if (seq > this.last.seq) {
      return { seq: this.last.seq + 1, reason: `the rows after ${this.last.seq} are missing: the head says ${seq}` };
    }
    if (seq < this.last.seq) {
      return { seq: seq + 1, reason: `there are rows after ${seq}, where the head says the log ends` };
    }
    if (seq > 0 && !hash.equals(this.last.hash)) {
      return { seq, reason: `row ${seq} is not the one that the head remembers` };
    }
    if (this.anchor && this.anchor.seq > seq) {
      return { seq: seq + 1, reason: `the log ends at row ${seq}, before the expected row ${this.anchor.seq}` };
    }
    return undefined;
  }
}
