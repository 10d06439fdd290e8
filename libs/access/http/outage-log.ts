import { Injectable } from '@nestjs/common';

/** After so long without a refusal an outage counts as over. */
const OVER_AFTER_MS = 30_000;
/** Interval in which a continuing outage is logged again. */
const AGAIN_AFTER_MS = 60_000;

/** One line at the beginning of an outage and one a minute while it lasts, however many requests it refuses. */
@Injectable()
export class OutageLog {
  private lastMs = -Infinity;
  private toldMs = -Infinity;
  private unreported = 0;

  /**
   * Notes a refused request; returns the line to log, if one is due.
   * @param nowMs milliseconds of a clock that never goes back
   */
  note(message: string, requestId: string, nowMs: number): string | undefined {
    const isNew = nowMs - this.lastMs > OVER_AFTER_MS;
    this.lastMs = nowMs;
    if (!isNew && nowMs - this.toldMs < AGAIN_AFTER_MS) {
      this.unreported += 1;
      return undefined;
    }
    const before = this.unreported === 0 ? '' : ` (${this.unreported} more requests were refused since the last such line)`;
    this.toldMs = nowMs;
    this.unreported = 0;
    return `${requestId} the database cannot be reached, or took too long: ${message}${before}`;
  }
}
