/** The only source of time in the library, so that hosts and tests can supply their own. */
export abstract class Clock {
  /** The current time. Called often; must not throw. */
  abstract now(): Date;
}

/** The system clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
