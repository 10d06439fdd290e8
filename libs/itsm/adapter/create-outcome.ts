/** A ticket on its platform. */
export interface TicketRef {
  /** The id that people and inbound updates use: `INC0010023`, `SEC-17`. At most 255 characters. */
  readonly externalTicketId: string;
  /** The id that the platform's API uses, if it differs: a sys_id, an issue id. */
  readonly platformId?: string;
  /** URL of the ticket for people. `https:` only. */
  readonly url?: string;
}

/** Why a platform permanently refuses to create a ticket. */
export type RejectionCode = 'auth' | 'forbidden' | 'config' | 'field' | 'hibernating';

/** The outcome of one attempt to create a ticket. Messages are sentences for the operator, without secrets. */
export type CreateOutcome =
  /** `degraded` has one sentence for each value that could not be set on the ticket. */
  | { readonly kind: 'created'; readonly ref: TicketRef; readonly degraded?: readonly string[] }
  /**
   * Nothing was created, and a retry is useless until a person fixes the cause. `fields` has the error of each field,
   * by the platform's field names.
   */
  | {
      readonly kind: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      readonly fields?: Readonly<Record<string, string>>;
    }
  /** Certainly nothing was created; a retry may succeed. */
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfterMs?: number }
  /** The platform may have created it. The service searches for its key, or repeats an idempotent create. */
  | { readonly kind: 'uncertain'; readonly message: string };

/** The outcome of an attempt after which no ticket is known to exist. */
export type CreateFailure = Exclude<CreateOutcome, { kind: 'created' }>;
