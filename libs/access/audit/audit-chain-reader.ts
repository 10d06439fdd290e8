import { BadRequestError, type Keyring } from '#core';
import { type OrgDatabase, sqlOf } from '#database';
import { AuditChain, type AuditHead, type ChainBreak, type ChainedRow } from './audit-chain.js';
import { AUDIT_COLUMNS } from './audit-row.js';
import { faultOfSeal, sealOf } from './head-seal.js';

/** Result of a check of the audit log. */
export interface ChainReport {
  /** Rows that hold, from the beginning. */
  rows: number;
  ok: boolean;
  first_broken_seq: number | null;
  reason: string | null;
  /**
   * The head that was checked against, its hash in hexadecimal; null where there is none. Keep it elsewhere as an
   * anchor: a later check that expects it finds out whether even a holder of the keyring has rewritten the log.
   */
  head: { seq: number; hash: string } | null;
}

const PAGE = 500;

// One statement reads one snapshot, so the head matches the end of the log even while rows are appended.
const END = `
select h.seq::float8 as seq, h.hash, h.key_id, h.mac,
       (select max(seq) from governance.audit_log where org_id = $1)::float8 as last_seq
from (select 1) as one left join governance.audit_heads h on h.org_id = $1`;

const ROWS = `
select ${AUDIT_COLUMNS}, prev_hash, hash from governance.audit_log
where org_id = $1 and seq > $2 and seq <= $3 order by seq limit ${PAGE}`;

interface End {
  seq: number | null;
  hash: Buffer | null;
  key_id: string | null;
  mac: Buffer | null;
  last_seq: number | null;
}

const ANCHOR = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i;

/**
 * Checks the hash chain of an organization's audit log, page by page, so that its length does not matter, and the seal
 * of its head.
 */
export class AuditChainReader {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keyring: Keyring,
  ) {}

  /**
   * Reads only. A log that grows meanwhile is checked up to where it ended at the start. `expect` is an anchor that was
   * kept, `seq:hash`: any row as the audit log or an earlier report showed it.
   * @throws BadRequestError for an anchor of another form
   */
  async verify(orgId: string, options: { expect?: string | undefined } = {}): Promise<ChainReport> {
    const chain = new AuditChain(options.expect === undefined ? undefined : anchorOf(options.expect));
    const end = await this.readEnd(orgId);
    const head = headOf(end);
    const broken = (await this.follow(orgId, chain, end)) ?? this.checkSeal(orgId, head, end);
    return report(chain.length, broken, head);
  }

  /** The first break of the chain from row 1 to the head. The seal of the head is not checked. */
  protected async firstBreak(orgId: string): Promise<ChainBreak | undefined> {
    return this.follow(orgId, new AuditChain(), await this.readEnd(orgId));
  }

  private checkSeal(orgId: string, head: AuditHead | undefined, end: End): ChainBreak | undefined {
    const fault = head && faultOfSeal(this.keyring, orgId, head, sealOf(end));
    return head && fault ? { seq: head.seq, reason: `the head ${fault}` } : undefined;
  }

  /** The first break of the chain from row 1 to the head. */
  private async follow(orgId: string, chain: AuditChain, end: End): Promise<ChainBreak | undefined> {
    for (;;) {
      const rows = await this.database.transaction(orgId, em =>
        sqlOf(em).query<ChainedRow>(ROWS, [orgId, chain.length, end.last_seq ?? 0]),
      );
      for (const row of rows) {
        const broken = chain.take(row);
        if (broken) return broken;
      }
      if (rows.length < PAGE) return chain.finish(headOf(end));
    }
  }

  private async readEnd(orgId: string): Promise<End> {
    const [end] = await this.database.transaction(orgId, em => sqlOf(em).query<End>(END, [orgId]));
    return end ?? { seq: null, hash: null, key_id: null, mac: null, last_seq: null };
  }
}

function headOf({ seq, hash }: End): AuditHead | undefined {
  return seq === null || hash === null ? undefined : { seq, hash };
}

function report(rows: number, broken: ChainBreak | undefined, head: AuditHead | undefined): ChainReport {
  return {
    rows,
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
