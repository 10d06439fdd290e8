import { Inject, Injectable } from '@nestjs/common';
import { isPerson, type Principal } from '#access';
import { BadRequestError, Clock } from '#core';
import { PersonRequiredError } from './approval.errors.js';
import { APPROVAL_OPTIONS, GRANT_DAYS_MAX, type ApprovalOptions } from './approval.options.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Who may decide about requests, when requests expire and when grants end. */
@Injectable()
export class ApprovalTerms {
  private readonly defaultHours: number;
  private readonly pendingDays: number;
  private readonly requirePerson: boolean;

  constructor(
    @Inject(APPROVAL_OPTIONS) options: ApprovalOptions,
    private readonly clock: Clock,
  ) {
    this.defaultHours = options.defaultHours ?? 24;
    this.pendingDays = options.pendingDays ?? 7;
    this.requirePerson = options.requirePerson ?? false;
  }

  /** @throws PersonRequiredError if the options require a person and the credential does not prove one */
  checkPerson(actor: Principal): void {
    if (this.requirePerson && !isPerson(actor)) throw new PersonRequiredError();
  }

  /** The present time. */
  now(): Date {
    return this.clock.now();
  }

  /** When a request that was opened at the given time expires if no approver decides about it. */
  endOfRequest(requestedAt: Date): Date {
    return new Date(requestedAt.getTime() + this.pendingDays * DAY_MS);
  }

  /**
   * The end of a grant that begins now.
   * @throws BadRequestError if the requested end is not in the future, or is more than 90 days away
   */
  endOfGrant(wanted: Date | undefined, now: Date): Date {
    if (wanted === undefined) return new Date(now.getTime() + this.defaultHours * HOUR_MS);
    if (!(wanted > now)) throw BadRequestError.field('expires_at', 'must be in the future');
    if (wanted.getTime() - now.getTime() > GRANT_DAYS_MAX * DAY_MS) {
      throw BadRequestError.field('expires_at', `must be at most ${GRANT_DAYS_MAX} days away`);
    }
    return wanted;
  }
}
