import type { Actor } from './principal.js';
import { SCOPES } from './scopes.js';

/** The operator at the command line, or the app at boot. This actor needs no HTTP request and has every scope. */
export function operatorActor(orgId: string, name = 'operator'): Actor {
  return { orgId, kind: 'cli', id: name, name, scopes: new Set(SCOPES), address: null, requestId: null };
}
