import type { Tags } from '#core';

/** Whose spending it is, and on what. */
export interface SpendSubject {
  readonly userId: string;
  readonly department: string | null;
  readonly model: string;
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token that asked; missing where the caller came with another credential. */
  readonly tokenId?: string | null | undefined;
}
