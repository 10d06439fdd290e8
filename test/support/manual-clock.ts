import { Clock } from '#core';

/** A clock that advances only when a test says so. */
export class ManualClock extends Clock {
  private time: number;

  constructor(start: string | Date = '2026-11-20T12:00:00.000Z') {
    super();
    this.time = new Date(start).getTime();
  }

  override now(): Date {
    return new Date(this.time);
  }

  /** Advances the clock by milliseconds. */
  advance(milliseconds: number): void {
    this.time += milliseconds;
  }

  set(time: string | Date): void {
    this.time = new Date(time).getTime();
  }
}
