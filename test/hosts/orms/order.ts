import type { DecisionInput, UsageEventInput } from 'nest-llm-governance';

/** An order of the shop, and its model call. */
export interface Order {
  readonly id: number;
  readonly orgId: string;
  /** The request for a decision, in the format of `POST /v1/decisions`. */
  readonly request: DecisionInput;
  /** The usage, in the format of `POST /v1/usage/events`. */
  readonly usage: UsageEventInput;
}
