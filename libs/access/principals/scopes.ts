/** Permissions of a credential: `<area>:<verb>`. Each endpoint states the scope that it needs. */
export const SCOPES = [
  'policies:read',
  'policies:write',
  'approvals:read',
  'approvals:read:own',
  'approvals:write',
  'decisions:write',
  'decisions:read',
  'incidents:read',
  'incidents:read:own',
  'incidents:write',
  'anomalies:read',
  'anomalies:write',
  'usage:read',
  'usage:read:own',
  'usage:write',
  'prices:read',
  'prices:write',
  'budgets:read',
  'budgets:write',
  'gateway:read',
  'gateway:write',
  'gateway:call',
  'webhooks:read',
  'webhooks:write',
  'itsm:read',
  'itsm:write',
  'users:read',
  'users:read:own',
  'users:write',
  'devices:read',
  'devices:read:own',
  'devices:write',
  'scim:write',
  'tokens:read',
  'tokens:write',
  'audit:read',
  'organization:read',
  'organization:write',
] as const;

/** One permission. */
export type Scope = (typeof SCOPES)[number];

/** A named bundle of scopes. */
export type Role = 'admin' | 'auditor' | 'agent' | 'member' | 'scim';

/**
 * Scopes of each role. `admin`: all. `auditor`: all read scopes. `agent` (a gateway or SDK in the request path):
 * decisions, usage reports and provider calls. `member`: own data and own provider calls. `scim` (an identity
 * provider): only users and groups through SCIM.
 */
export const ROLE_SCOPES: Record<Role, readonly Scope[]> = {
  admin: SCOPES,
  auditor: SCOPES.filter(scope => scope.endsWith(':read')),
  agent: ['decisions:write', 'usage:write', 'gateway:call'],
  member: [
    'approvals:read:own',
    'devices:read:own',
    'gateway:call',
    'incidents:read:own',
    'usage:read:own',
    'users:read:own',
  ],
  scim: ['scim:write'],
};

/** All role names. */
export const ROLES = ['admin', 'auditor', 'agent', 'member', 'scim'] as const satisfies readonly Role[];

/**
 * Roles of programs. A token with such a role may belong to the organization. A token with any other role belongs to a
 * user.
 */
export const MACHINE_ROLES: ReadonlySet<Role> = new Set<Role>(['agent', 'scim']);

/** Scopes of a credential: all scopes of its role, or the chosen subset. */
export function effectiveScopes(role: string, narrowedTo: readonly string[] | null): Scope[] {
  const known = ROLES.find(name => name === role);
  // A role that this version does not know grants nothing.
  const scopes = known === undefined ? [] : ROLE_SCOPES[known];
  return scopes.filter(scope => narrowedTo === null || narrowedTo.includes(scope));
}
