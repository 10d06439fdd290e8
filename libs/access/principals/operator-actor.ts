import type { Actor } from './principal.js';
import { SCOPES } from './scopes.js';

/** The person at the command line, or the app itself at boot: acts without HTTP and holds every scope. */
export function operatorActor(orgId: string, name = 'operator'): Actor {
  return { orgId, kind: 'cli', id: name, name, scopes: new Set(SCOPES), address: null, requestId: null };
}
