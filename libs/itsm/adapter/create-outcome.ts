/** A ticket on its platform. */
export interface TicketRef {
  /** What people and inbound updates call it: `INC0010023`, `SEC-17`. At most 255 characters. */
  readonly externalTicketId: string;
  /** What the platform's interface calls it, where that is something else: a sys_id, an issue id. */
  readonly platformId?: string;
  /** Where a person sees it. `https:` only. */
  readonly url?: string;
}

/** Why a platform will not create a ticket however often it is asked. */
export type RejectionCode = 'auth' | 'forbidden' | 'config' | 'field' | 'hibernating';

/** What came of one attempt to create a ticket. Messages are sentences for the operator, without secrets. */
export type CreateOutcome =
  /** `degraded`: sentences that say what the ticket had to do without. */
  | { readonly kind: 'created'; readonly ref: TicketRef; readonly degraded?: readonly string[] }
  /** Nothing was created, and nothing will be until a person changes something. `fields`: by field of the platform. */
  | {
      readonly kind: 'rejected';
      readonly code: RejectionCode;
      readonly message: string;
      readonly fields?: Readonly<Record<string, string>>;
    }
  /** Provably nothing was created; another attempt may do. */
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfterMs?: number }
  /** The platform may have created it: it is looked for by its key before it is created again. */
  | { readonly kind: 'uncertain'; readonly message: string };
