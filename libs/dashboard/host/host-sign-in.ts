import type { HttpRequest, Scope } from '#access';

/** A person whom the host has signed in. */
export interface DashboardUser {
  /** The organization whose dashboard the person sees. */
  readonly orgId: string;
  /** Identifier of the person at the host, for the audit log; never a secret. */
  readonly id: string;
  readonly name: string;
  /**
   * Id in the user directory, if the person is in the directory. The dashboard refuses a person whose user has no
   * access.
   */
  readonly userId?: string;
}

/** Permissions of a person: full access, read-only access, own data only, none, or a list of scopes. */
export type DashboardAccess = 'all' | 'read-only' | 'own' | 'none' | readonly Scope[];

/** Functions with which the host decides who may use the dashboard. */
export interface HostSignIn {
  /**
   * Returns the person whom the host's own cookie identifies; null if it identifies nobody. Called with each request of
   * the page, so it must be fast. Throw only if the person cannot be determined.
   */
  readonly resolveUser: (request: HttpRequest) => DashboardUser | null | Promise<DashboardUser | null>;
  /** Returns the permissions of the person. Called after {@link resolveUser}, with each request. */
  readonly resolveAccess: (user: DashboardUser, request: HttpRequest) => DashboardAccess | Promise<DashboardAccess>;
}

/** Injection token of {@link HostSignIn}. */
export const HOST_SIGN_IN = Symbol('governance.dashboard-host-sign-in');
