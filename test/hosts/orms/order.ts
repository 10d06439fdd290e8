import type { DecisionInput, UsageEventInput } from 'nest-llm-governance';

/** An order of the shop, and the model call that it is made for. */
export interface Order {
  readonly id: number;
  readonly orgId: string;
  /** What is asked, as `POST /v1/decisions` takes it. */
  readonly request: DecisionInput;
  /** What was used, as `POST /v1/usage/events` takes it. */
  readonly usage: UsageEventInput;
}
