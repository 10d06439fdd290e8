/** A ticket on its platform. */
export interface TicketRef {
  /** The ticket's id for people and in inbound updates: `INC0010023`, `SEC-17`. At most 255 characters. */
  readonly externalTicketId: string;
  /** The ticket's id in the platform's API, if it differs: a sys_id, an issue id. */
  readonly platformId?: string;
  /** URL of the ticket for people. `https:` only. */
  readonly url?: string;
}

/** Code for the reason why a platform permanently refuses to create a ticket. */
export type RejectionCode = 'auth' | 'forbidden' | 'config' | 'field' | 'hibernating';

/** The outcome of one attempt to create a ticket. Messages are sentences for the operator, without secrets. */
export type CreateOutcome =
  /** `degraded` contains one sentence for each value that could not be set on the ticket. */
  | { readonly kind: 'created'; readonly ref: TicketRef; readonly degraded?: readonly string[] }
  /**
   * Nothing was created. A retry is useless until a person fixes the cause. `fields` contains the error of each field,
   * by the platform's field names.
   */
  | {
      readonly kind: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      readonly fields?: Readonly<Record<string, string>>;
    }
  /** The ticket was certainly not created. A retry may succeed. */
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfterMs?: number }
  /**
   * The platform may have created the ticket. The service searches for the ticket's key, or repeats an idempotent
   * create.
   */
  | { readonly kind: 'uncertain'; readonly message: string };

/** The outcome of an attempt that may have failed: no ticket is known to exist. */
export type CreateFailure = Exclude<CreateOutcome, { kind: 'created' }>;
