import { Injectable } from '@nestjs/common';
import { ConflictError, Keyring } from '#core';
import { OrgDatabase } from '#database';
import { AuditChainReader } from './audit-chain-reader.js';
import { AuditHeads } from './audit-heads.js';

/** Checks audit logs. Seals the head of a log if the operator requests it. */
@Injectable()
export class AuditChainVerifier extends AuditChainReader {
  constructor(
    database: OrgDatabase,
    keyring: Keyring,
    /** The seals of all heads. A change of keys renews them. */
    readonly heads: AuditHeads,
  ) {
    super(database, keyring);
  }

  /**
   * Seals the head of a valid log for the operator, and adds an audit entry about it. Use it after an upgrade from a
   * version without seals, or if the key of the seal is lost.
   * @throws ConflictError if the chain is broken
   */
  async seal(orgId: string): Promise<void> {
    const broken = await this.firstBreak(orgId);
    if (broken) throw new ConflictError(`The audit log is broken at row ${broken.seq}: ${broken.reason}.`);
    await this.heads.accept(orgId);
  }
}
