import type { JsonObject } from '#core';

/** Profile of a user. The callers validate the values. */
export interface UserProfile {
  email: string;
  name: string;
  department: string | null;
  role: string;
  attributes: JsonObject;
}
