import { Injectable } from '@nestjs/common';
import { NotFoundError, SpendGuard } from '#core';

/** An extended reservation. */
export interface ExtendedReservation {
  readonly decision_id: string;
  /** Time at which the reservation expires, unless usage is reported before or the reservation is extended again. */
  readonly expires_at: string;
}

/** The decision has no reservation. */
export class ReservationNotFoundError extends NotFoundError {
  constructor(decisionId: string) {
    super(
      `The decision ${decisionId} has no reservation: it was settled or released, it has expired, or no ` +
        'blocking budget guarded it. Ask for a new decision before you go on.',
    );
  }
}

/** Extends reservations for work that takes longer than the term of a reservation. */
@Injectable()
export class ReservationExtension {
  constructor(private readonly spend: SpendGuard) {}

  /**
   * Extends the reservation of a decision by a full term from now. The expiry never becomes earlier. Safe to repeat.
   * @throws ReservationNotFoundError if the decision has no reservation
   * @throws UnavailableError if the database cannot be reached
   */
  async extend(orgId: string, decisionId: string): Promise<ExtendedReservation> {
    const id = decisionId.toLowerCase();
    const expiresAt = await this.spend.extend(orgId, id);
    if (!expiresAt) throw new ReservationNotFoundError(id);
    return { decision_id: id, expires_at: expiresAt.toISOString() };
  }
}
