/** The only source of time in this package. Hosts and tests can replace it. */
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
