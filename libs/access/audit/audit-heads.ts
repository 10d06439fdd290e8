import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Keyring } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { operatorActor } from '../principals/operator-actor.js';
import { AuditLog } from './audit-log.port.js';
import { faultOfSeal, sealHead, sealOf } from './head-seal.js';

/** Result of a run that renews seals. */
export interface ResealReport {
  /** Number of heads that were sealed with the current key. */
  resealed: number;
  /** Organizations whose head has an invalid seal and was not changed. */
  broken: string[];
}

/** The end of an audit log, to be stored outside the database. */
export interface AuditAnchor {
  seq: number;
  /** In hexadecimal. */
  hash: string;
  /** Whether the seal of the head is valid. */
  sealed: boolean;
  /** Time by the database clock. */
  anchored_at: string;
}

interface HeadRow {
  seq: number;
  hash: Buffer;
  key_id: string | null;
  mac: Buffer | null;
}

const READ = `
select seq::float8 as seq, hash, key_id, mac from ${SCHEMA}.audit_heads where org_id = $1 for update`;
// If several replicas run this, one updates the row. The others wait for its lock, then see the new time and update
// nothing.
const ANCHOR = `
update ${SCHEMA}.audit_heads set anchored_at = ${SCHEMA}.now()
where org_id = $1 and (anchored_at is null or anchored_at <= ${SCHEMA}.now() - $2 * interval '1 hour')
returning seq::float8 as seq, hash, key_id, mac,
  to_char(anchored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as anchored_at`;
const WRITE = `update ${SCHEMA}.audit_heads set key_id = $2, mac = $3 where org_id = $1`;

/** Seals the heads of all audit logs. Seals them again after a change of keys. */
@Injectable()
export class AuditHeads implements OnModuleInit {
  constructor(
    private readonly database: OrgDatabase,
    private readonly keyring: Keyring,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Checks that every key of a seal is in the keyring. If the key of a head were missing, each change would leave that
   * log unsealed.
   * @throws Error naming the key ids and the remedy.
   */
  async onModuleInit(): Promise<void> {
    const missing = (await this.keyIds()).filter(id => !this.keyring.keyIds.includes(id));
    if (missing.length === 0) return;
    throw new Error(
      `keys: heads of audit logs are sealed under ${quoted(missing)}, which is not at hand; at hand: ` +
        `${quoted(this.keyring.keyIds)}. Put the missing key back into GOVERNANCE_KEYS (the option "keys"), behind the ` +
        'one that writes, and run "nest-llm-governance rewrap" before it is removed. Where it is lost for good, ' +
        '"Rotating keys" in docs/operate.md says how to go on.',
    );
  }

  /** Seals all heads with the current key, so that older keys can be removed. Can be repeated safely. */
  async reseal(): Promise<ResealReport> {
    const report: ResealReport = { resealed: 0, broken: [] };
    const organizations = await this.database.global<{ id: string }>(
      `select id from ${SCHEMA}.audit_heads_not_under($1) as id`,
      [this.keyring.writingKeyId],
    );
    for (const { id } of organizations) {
      const outcome = await this.resealOne(id);
      if (outcome === 'resealed') report.resealed += 1;
      if (outcome === 'broken') report.broken.push(id);
    }
    return report;
  }

  /**
   * Seals a head without a check, for the operator, and adds an audit entry about it. The caller must have checked the
   * chain.
   */
  async accept(orgId: string): Promise<void> {
    await this.database.transaction(orgId, async em => {
      const [row] = await sqlOf(em).query<HeadRow>(READ, [orgId]);
      if (!row) return;
      const seal = sealHead(this.keyring, orgId, row);
      await sqlOf(em).query(WRITE, [orgId, seal.keyId, seal.mac]);
      await this.audit.append(em, operatorActor(orgId), {
        action: 'audit_log.sealed',
        resourceType: 'audit_log',
        resourceId: orgId,
        before: { seq: row.seq, hash: row.hash.toString('hex'), key_id: row.key_id },
        after: { key_id: seal.keyId },
      });
    });
  }

  /**
   * Returns the end of an audit log as an anchor, and stores the current time as the time of the anchor. Undefined if
   * the last anchor is younger than the given hours, for example because another replica took one, or if the log has no
   * head.
   */
  async takeAnchor(em: EntityManager, orgId: string, hours: number): Promise<AuditAnchor | undefined> {
    const [row] = await sqlOf(em).query<HeadRow & { anchored_at: string }>(ANCHOR, [orgId, hours]);
    if (!row) return undefined;
    const sealed = faultOfSeal(this.keyring, orgId, row, sealOf(row)) === undefined;
    return { seq: row.seq, hash: row.hash.toString('hex'), sealed, anchored_at: row.anchored_at };
  }

  private resealOne(orgId: string): Promise<'resealed' | 'broken' | 'left'> {
    return this.database.transaction(orgId, async em => {
      const [row] = await sqlOf(em).query<HeadRow>(READ, [orgId]);
      if (!row || row.key_id === this.keyring.writingKeyId) return 'left';
      if (faultOfSeal(this.keyring, orgId, row, sealOf(row)) !== undefined) return 'broken';
      const seal = sealHead(this.keyring, orgId, row);
      await sqlOf(em).query(WRITE, [orgId, seal.keyId, seal.mac]);
      return 'resealed';
    });
  }

  private async keyIds(): Promise<string[]> {
    const rows = await this.database.global<{ id: string }>(`select id from ${SCHEMA}.audit_head_key_ids() as id`);
    return rows.map(row => row.id);
  }
}

function quoted(ids: readonly string[]): string {
  return ids.map(id => `"${id}"`).join(', ');
}
