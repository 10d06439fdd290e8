import { Injectable } from '@nestjs/common';
import { NotFoundError, SpendGuard } from '#core';

/** A reservation that was extended. */
export interface ExtendedReservation {
  readonly decision_id: string;
  /** When what is held is given back, unless usage is reported or it is extended again. */
  readonly expires_at: string;
}

/** Nothing is held for a decision any more, or never was. */
export class ReservationNotFoundError extends NotFoundError {
  constructor(decisionId: string) {
    super(
      `Nothing is held for the decision ${decisionId}: its reservation was settled, released or has expired, or no ` +
        'blocking budget guarded it. Ask for a new decision before you go on.',
    );
  }
}

/** Holds reservations longer, for work that takes longer than a term. */
@Injectable()
export class ReservationExtension {
  constructor(private readonly spend: SpendGuard) {}

  /**
   * Holds what is held for a decision for a whole term from now on, never shorter than before. May repeat.
   * @throws ReservationNotFoundError where nothing is held
   * @throws UnavailableError where that cannot be known at present
   */
  async extend(orgId: string, decisionId: string): Promise<ExtendedReservation> {
    const id = decisionId.toLowerCase();
    const expiresAt = await this.spend.extend(orgId, id);
    if (!expiresAt) throw new ReservationNotFoundError(id);
    return { decision_id: id, expires_at: expiresAt.toISOString() };
  }
}
