import { createContext, use } from 'react';
import type { Me } from './session.ts';

/** The signed-in person. */
export const MeContext = createContext<Me | null>(null);

/** The signed-in person. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === null) throw new Error('useMe is called outside of the frame');
  return me;
}

/** Whether the person has one of the scopes. */
export function useMay(...scopes: string[]): boolean {
  return may(useMe(), scopes);
}

/**
 * Whether a person may open a page. The person needs one of the page's scopes. For a personal page, the credential must
 * also belong to a user.
 */
export function opens(me: Me, { scopes, isPersonal }: { scopes: readonly string[]; isPersonal?: boolean }): boolean {
  return may(me, scopes) && (isPersonal !== true || me.user !== null);
}

/** Whether a person has one of the scopes. True if no scope is required. */
function may(me: Me, scopes: readonly string[]): boolean {
  return scopes.length === 0 || scopes.some(scope => me.scopes.includes(scope));
}
