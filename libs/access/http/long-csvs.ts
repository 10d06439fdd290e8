import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { RateLimitedError } from '#core';

/** A CSV list with more rows counts as long. Counts are exact up to this number. */
export const LONG_CSV_ROWS = 10_000;

/** Maximum number of long CSV lists that one process sends to one organization at the same time. */
export const LONG_CSVS_MAX = 5;

const RETRY_AFTER_SECONDS = 10;

/**
 * Limits how many long CSV files an organization reads at the same time. Each of these files keeps a database
 * connection busy for a while.
 */
@Injectable()
export class LongCsvs {
  /** Number of running files by organization. */
  private readonly underWay = new Map<string, number>();

  /**
   * Counts a file until its stream is closed.
   * @throws RateLimitedError if {@link LONG_CSVS_MAX} files are already running
   */
  add(orgId: string, content: Readable): void {
    const count = this.underWay.get(orgId) ?? 0;
    if (count >= LONG_CSVS_MAX) {
      content.destroy();
      throw new RateLimitedError(
        `${LONG_CSVS_MAX} long CSV files of your organization are being sent; wait until one is complete.`,
        RETRY_AFTER_SECONDS,
      );
    }
    this.underWay.set(orgId, count + 1);
    content.once('close', () => this.remove(orgId));
  }

  private remove(orgId: string): void {
    const left = (this.underWay.get(orgId) ?? 1) - 1;
    if (left > 0) this.underWay.set(orgId, left);
    else this.underWay.delete(orgId);
  }
}
