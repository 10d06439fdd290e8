import { Injectable } from '@nestjs/common';
import { ConflictError, Keyring } from '#core';
import { OrgDatabase } from '#database';
import { AuditChainReader } from './audit-chain-reader.js';
import { AuditHeads } from './audit-heads.js';

/** Checks audit logs, and seals one at the request of an operator. */
@Injectable()
export class AuditChainVerifier extends AuditChainReader {
  constructor(
    database: OrgDatabase,
    keyring: Keyring,
    /** The seals of all heads, for changes of keys. */
    readonly heads: AuditHeads,
  ) {
    super(database, keyring);
  }

  /**
   * Seals the head of a log whose rows hold, on an operator's word, and puts that on record: after an upgrade from a
   * version without seals, or where the key of the seal is lost.
   * @throws ConflictError where the rows do not hold
   */
  async seal(orgId: string): Promise<void> {
    const broken = await this.firstBreak(orgId);
    if (broken) throw new ConflictError(`The audit log is broken at row ${broken.seq}: ${broken.reason}.`);
    await this.heads.accept(orgId);
  }
}
