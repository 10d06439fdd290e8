import { Injectable } from '@nestjs/common';

/** Time without a refusal after which an outage counts as over. */
const OVER_AFTER_MS = 30_000;
/** Interval at which a continuing outage is logged again. */
const AGAIN_AFTER_MS = 60_000;

/**
 * Limits the log during an outage: one line at its beginning, and one per minute, regardless of the number of requests.
 */
@Injectable()
export class OutageLog {
  private lastMs = -Infinity;
  private toldMs = -Infinity;
  private unreported = 0;

  /**
   * Records a refused request. Returns the line to log, if one is due.
   * @param nowMs milliseconds of a monotonic clock
   */
  note(message: string, requestId: string, nowMs: number): string | undefined {
    const isNew = nowMs - this.lastMs > OVER_AFTER_MS;
    this.lastMs = nowMs;
    if (!isNew && nowMs - this.toldMs < AGAIN_AFTER_MS) {
      this.unreported += 1;
      return undefined;
    }
    const before =
      this.unreported === 0 ? '' : ` (${this.unreported} more requests were refused since the last such line)`;
    this.toldMs = nowMs;
    this.unreported = 0;
    return `${requestId} the database cannot be reached, or took too long: ${message}${before}`;
  }
}
