import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { RateLimitedError } from '#core';

/** A list with more rows is long. Counts are exact up to this number. */
export const LONG_CSV_ROWS = 10_000;

/** Long lists as CSV that one process sends to one organization at a time. */
export const LONG_CSVS_MAX = 5;

const RETRY_AFTER_SECONDS = 10;

/** Limits how many long CSV files an organization reads at a time: each of them keeps a connection busy for a while. */
@Injectable()
export class LongCsvs {
  /** Number of running files by organization. */
  private readonly underWay = new Map<string, number>();

  /** Counts a file until its stream is closed. @throws RateLimitedError if there are {@link LONG_CSVS_MAX} already */
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
