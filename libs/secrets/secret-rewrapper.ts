import { Injectable } from '@nestjs/common';
import { SecretCipher, SecretUnreadableError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import {
  countUnderOldKeys,
  nextUnderOldKeys,
  replaceUnchanged,
  type PlacedSecret,
  type RewrappedSecret,
} from './rewrap.sql.js';
import { SecretKeys } from './secret-keys.js';

/** A secret that a rewrap could not change. */
export interface UnreadableSecret {
  org_id: string;
  owner: string;
  owner_id: string;
  name: string;
  reason: string;
}

/** The result of a rewrap. */
export interface RewrapReport {
  /** Number of secrets that this run encrypted with the current key. */
  rewrapped: number;
  /**
   * Number of secrets that still use another key, including unreadable ones. When it is 0, you can remove the other
   * keys.
   */
  remaining: number;
  unreadable: UnreadableSecret[];
}

const BATCH = 100;
/** Maximum number of passes. A pass skips secrets that are being changed at the moment; the next pass retries them. */
const PASSES = 3;

/**
 * Re-encrypts the data keys of all secrets with the current key. Each batch has its own transaction. If a run is
 * interrupted, the next run continues where it ended. Concurrent runs and changes are safe.
 */
@Injectable()
export class SecretRewrapper {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cipher: SecretCipher,
    /** The keys that secrets use. They show whether a run is needed. */
    readonly keys: SecretKeys,
  ) {}

  /** Processes every organization. An unreadable secret is reported and does not stop the run. */
  async rewrap(): Promise<RewrapReport> {
    const report: RewrapReport = { rewrapped: 0, remaining: 0, unreadable: [] };
    if ((await this.keys.old()).length === 0) return report;
    for (const { id } of await this.database.global<{ id: string }>(
      `select id from ${SCHEMA}.organization_ids() as id`,
    )) {
      const { rewrapped, remaining, unreadable } = await this.rewrapOrganization(id);
      report.rewrapped += rewrapped;
      report.remaining += remaining;
      report.unreadable.push(...unreadable);
    }
    return report;
  }

  private async rewrapOrganization(orgId: string): Promise<RewrapReport> {
    const report: RewrapReport = { rewrapped: 0, remaining: 0, unreadable: [] };
    for (let pass = 0; pass < PASSES; pass++) {
      const { rewrapped, unreadable } = await this.pass(orgId);
      report.rewrapped += rewrapped;
      report.unreadable = unreadable;
      report.remaining = await this.database.transaction(orgId, em =>
        countUnderOldKeys(sqlOf(em), orgId, this.writingKeyId),
      );
      if (report.remaining <= unreadable.length) break;
    }
    return report;
  }

  private async pass(orgId: string): Promise<Omit<RewrapReport, 'remaining'>> {
    const unreadable: UnreadableSecret[] = [];
    let rewrapped = 0;
    for (let last: PlacedSecret | undefined; ;) {
      const batch = await this.database.transaction(orgId, em =>
        nextUnderOldKeys(sqlOf(em), orgId, this.writingKeyId, last?.place, BATCH),
      );
      // Runs outside of a transaction, because the cipher may call a key service over the network.
      const done = await this.rewrapAll(batch, unreadable);
      if (done.length > 0) {
        rewrapped += await this.database.transaction(orgId, em => replaceUnchanged(sqlOf(em), orgId, done));
      }
      if (batch.length < BATCH) return { rewrapped, unreadable };
      last = batch.at(-1);
    }
  }

  private async rewrapAll(batch: readonly PlacedSecret[], unreadable: UnreadableSecret[]): Promise<RewrappedSecret[]> {
    const done: RewrappedSecret[] = [];
    for (const { place, sealed } of batch) {
      try {
        const rewrapped = await this.cipher.rewrap(sealed, place);
        if (rewrapped) done.push({ place, sealed, rewrapped });
      } catch (error) {
        if (!(error instanceof SecretUnreadableError)) throw error;
        const { orgId, owner, ownerId, name } = place;
        unreadable.push({ org_id: orgId, owner, owner_id: ownerId, name, reason: error.message });
      }
    }
    return done;
  }

  private get writingKeyId(): string {
    return this.cipher.keyIds[0] ?? '';
  }
}
