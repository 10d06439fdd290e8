import { BadRequestError, type Keyring, type SqlTransaction } from '#core';
import { type OrgDatabase, sqlOf } from '#database';
import { AuditChain, type AuditHead, type ChainBreak, type ChainedRow } from './audit-chain.js';
import { readStart } from './audit-pruning.js';
import { faultOfRecord, REDACTED, unrecordedRedaction } from './audit-redaction.js';
import { AUDIT_COLUMNS } from './audit-row.js';
import { faultOfSeal, sealOf } from './head-seal.js';

/** Result of a check of the audit log. */
export interface ChainReport {
  /** Number of valid rows. Pruned rows do not count. */
  rows: number;
  /** The last row that was pruned at the end of its retention; 0 if none was. */
  pruned_seq: number;
  ok: boolean;
  first_broken_seq: number | null;
  reason: string | null;
  /**
   * The head that the chain was checked against, with its hash in hexadecimal; null if the log has no head. Store it
   * outside the database as an anchor. A later check against the anchor detects a rewritten log, even if the author of
   * the rewrite had the keyring.
   */
  head: { seq: number; hash: string } | null;
}

const PAGE = 500;

// A single statement reads a single snapshot. The head therefore matches the end of the log even while rows are
// appended.
const END = `
select h.seq::float8 as seq, h.hash, h.key_id, h.mac,
       (select max(seq) from governance.audit_log where org_id = $1)::float8 as last_seq
from (select 1) as one left join governance.audit_heads h on h.org_id = $1`;

const ROWS = `
select ${AUDIT_COLUMNS}, salt, commitment, prev_hash, hash, (
  select r.commitment from governance.audit_redactions r
  where r.org_id = a.org_id and r.seq = a.seq order by r.redacted_by desc limit 1) as redaction
from governance.audit_log a where org_id = $1 and seq > $2 and seq <= $3 order by seq limit ${PAGE}`;

const FIRST = 'select min(seq)::float8 as seq from governance.audit_log where org_id = $1';

/** Maximum number of repetitions. A check is repeated if rows were pruned while it ran. */
const ATTEMPTS = 5;

/** Progress of a check. */
interface Followed {
  broken: ChainBreak | undefined;
  /** Number of the last pruned row. */
  start: number;
  /** Number of valid rows. */
  rows: number;
  head: AuditHead | undefined;
  end: End;
}

interface End {
  seq: number | null;
  hash: Buffer | null;
  key_id: string | null;
  mac: Buffer | null;
  last_seq: number | null;
}

const ANCHOR = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i;

/**
 * Checks the hash chain of an organization's audit log, and the seal of its head. Reads page by page, so that memory
 * does not grow with the length of the log.
 */
export class AuditChainReader {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Checks a log up to the row that was last when the check started. Only reads. `expect` is a stored anchor,
   * `seq:hash`, of any row that the audit log or an earlier report showed.
   * @throws BadRequestError if the anchor is malformed, or the row of the anchor was pruned
   */
  async verify(orgId: string, options: { expect?: string | undefined } = {}): Promise<ChainReport> {
    const anchor = options.expect === undefined ? undefined : anchorOf(options.expect);
    const { broken, start, rows, head, end } = await this.followAll(orgId, anchor);
    const fault = broken ?? this.checkSeal(orgId, head, end);
    if (!fault && anchor && anchor.seq <= start) {
      throw BadRequestError.field('expect', `row ${anchor.seq} was pruned; expect row ${start + 1} or a later one`);
    }
    return report({ rows, start }, fault, head);
  }

  /** Returns the first break of the chain, from the first row to the head. Does not check the seal of the head. */
  protected async firstBreak(orgId: string): Promise<ChainBreak | undefined> {
    return (await this.followAll(orgId)).broken;
  }

  private checkSeal(orgId: string, head: AuditHead | undefined, end: End): ChainBreak | undefined {
    const fault = head && faultOfSeal(this.keyring, orgId, head, sealOf(end));
    return head && fault ? { seq: head.seq, reason: `the head ${fault}` } : undefined;
  }

  /** Repeats the check if rows were pruned while it ran. */
  private async followAll(orgId: string, anchor?: AuditHead): Promise<Followed> {
    for (let attempt = 1; ; attempt++) {
      const start = await this.read(orgId, tx => readStart(tx, orgId));
      const end = await this.readEnd(orgId);
      const chain = new AuditChain(anchor, start);
      const broken = await this.follow(orgId, chain, end);
      const after = broken && (await this.read(orgId, tx => readStart(tx, orgId)));
      if (attempt < ATTEMPTS && after && after.seq !== start?.seq) continue;
      return { broken, start: start?.seq ?? 0, rows: chain.length, head: headOf(end), end };
    }
  }

  /** Returns the first break of the chain, from the first row to the head. */
  private async follow(orgId: string, chain: AuditChain, end: End): Promise<ChainBreak | undefined> {
    const [first] = await this.read(orgId, tx => tx.query<{ seq: number | null }>(FIRST, [orgId]));
    if (first && first.seq !== null && first.seq <= chain.end) {
      return { seq: first.seq, reason: `row ${first.seq} is there, but the log says that it was pruned` };
    }
    for (;;) {
      const rows = await this.read(orgId, tx => tx.query<ChainedRow>(ROWS, [orgId, chain.end, end.last_seq ?? 0]));
      for (const row of rows) {
        const broken =
          chain.take(row) ??
          (row.action === REDACTED ? await this.read(orgId, tx => faultOfRecord(tx, row)) : undefined);
        if (broken) return broken;
      }
      if (rows.length < PAGE) break;
    }
    return chain.finish(headOf(end)) ?? (await this.read(orgId, tx => unrecordedRedaction(tx, orgId)));
  }

  private read<T>(orgId: string, read: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    return this.database.transaction(orgId, em => read(sqlOf(em)));
  }

  private async readEnd(orgId: string): Promise<End> {
    const [end] = await this.database.transaction(orgId, em => sqlOf(em).query<End>(END, [orgId]));
    return end ?? { seq: null, hash: null, key_id: null, mac: null, last_seq: null };
  }
}

function headOf({ seq, hash }: End): AuditHead | undefined {
  return seq === null || hash === null ? undefined : { seq, hash };
}

function report(
  { rows, start }: { rows: number; start: number },
  broken: ChainBreak | undefined,
  head: AuditHead | undefined,
): ChainReport {
  return {
    rows,
    pruned_seq: start,
    ok: broken === undefined,
    first_broken_seq: broken?.seq ?? null,
    reason: broken?.reason ?? null,
    head: head === undefined ? null : { seq: head.seq, hash: head.hash.toString('hex') },
  };
}

function anchorOf(text: string): AuditHead {
  const [, seq, hash] = ANCHOR.exec(text.trim()) ?? [];
  if (seq === undefined || hash === undefined) {
    throw BadRequestError.field(
      'expect',
      'must be the number of a row, a colon and its hash: 12:9f86d081… (64 digits)',
    );
  }
  return { seq: Number(seq), hash: Buffer.from(hash, 'hex') };
}
