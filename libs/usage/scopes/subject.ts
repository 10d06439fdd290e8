import type { Tags } from '#core';

/** Attributes of spending, by which budgets and limits select it. */
export interface SpendSubject {
  readonly userId: string;
  readonly department: string | null;
  readonly model: string;
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token of the caller; undefined for other credentials. */
  readonly tokenId?: string | null | undefined;
}
