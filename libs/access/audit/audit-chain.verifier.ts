import { Injectable } from '@nestjs/common';
import { OrgDatabase, sqlOf } from '#database';
import { AuditChain, type AuditHead, type ChainBreak, type ChainedRow } from './audit-chain.js';
import { AUDIT_COLUMNS } from './audit-row.js';

/** What a check of the audit log found. */
export interface ChainReport {
  /** Rows that hold, from the beginning. */
  rows: number;
  ok: boolean;
  first_broken_seq: number | null;
  reason: string | null;
  /**
   * The head that was checked against, its hash in hexadecimal; null where the log is empty. Who keeps it elsewhere
   * can later tell that even the owner of the database has not rewritten the log.
   */
  head: { seq: number; hash: string } | null;
}

const PAGE = 500;

// One statement, one snapshot: the head and the end of the log belong together whatever is appended meanwhile.
const END = `
select h.seq::float8 as seq, h.hash,
       (select max(seq) from governance.audit_log where org_id = $1)::float8 as last_seq
from (select 1) as one left join governance.audit_heads h on h.org_id = $1`;

const ROWS = `
select ${AUDIT_COLUMNS}, prev_hash, hash from governance.audit_log
where org_id = $1 and seq > $2 and seq <= $3 order by seq limit ${PAGE}`;

interface End {
  seq: number | null;
  hash: Buffer | null;
  last_seq: number | null;
}

/** Checks the hash chain of an organization's audit log, page by page, so that its length does not matter. */
@Injectable()
export class AuditChainVerifier {
  constructor(private readonly database: OrgDatabase) {}

  /** Reads only. A log that grows meanwhile is checked up to where it ended at the start. */
  async verify(orgId: string): Promise<ChainReport> {
    const end = await this.readEnd(orgId);
    const head = end.seq === null || end.hash === null ? undefined : { seq: end.seq, hash: end.hash };
    const chain = new AuditChain();
    const broken = (await this.follow(orgId, chain, end.last_seq ?? 0)) ?? chain.finish(head);
    return report(chain.length, broken, head);
  }

  private async follow(orgId: string, chain: AuditChain, lastSeq: number): Promise<ChainBreak | undefined> {
    for (;;) {
      const rows = await this.database.transaction(orgId, em =>
        sqlOf(em).query<ChainedRow>(ROWS, [orgId, chain.length, lastSeq]),
      );
      for (const row of rows) {
        const broken = chain.take(row);
        if (broken) return broken;
      }
      if (rows.length < PAGE) return undefined;
    }
  }

  private async readEnd(orgId: string): Promise<End> {
    const [end] = await this.database.transaction(orgId, em => sqlOf(em).query<End>(END, [orgId]));
    return end ?? { seq: null, hash: null, last_seq: null };
  }
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
