import { Injectable } from '@nestjs/common';
import { Clock } from 'nest-llm-governance';

/** A clock whose time changes only when it is set. */
@Injectable()
export class StoppedClock extends Clock {
  private time = new Date('2026-11-20T13:00:00Z');

  override now(): Date {
    return new Date(this.time);
  }

  moveTo(time: Date): void {
    this.time = time;
  }
}
