import type { HttpRequest, Scope } from '#access';

/** A person whom the host has signed in. */
export interface DashboardUser {
  /** The organization whose dashboard the person sees. */
  readonly orgId: string;
  /** Identifier of the person at the host, for the audit log; never a secret. */
  readonly id: string;
  readonly name: string;
  /** Id in the user directory, if the person is in it. Without access there, the dashboard refuses the person. */
  readonly userId?: string;
}

/** Permissions of a person: full access, read-only access, own data only, none, or a list of scopes. */
export type DashboardAccess = 'all' | 'read-only' | 'own' | 'none' | readonly Scope[];

/** Functions by which the host's sign-in decides about the dashboard. */
export interface HostSignIn {
  /**
   * Returns the person behind a request, by the host's own cookie; null for nobody. Called with each request of the
   * page, so it must be fast. Throw only if the person cannot be determined.
   */
  readonly resolveUser: (request: HttpRequest) => DashboardUser | null | Promise<DashboardUser | null>;
  /** Returns the permissions of the person. Called after {@link resolveUser}, with each request. */
  readonly resolveAccess: (user: DashboardUser, request: HttpRequest) => DashboardAccess | Promise<DashboardAccess>;
}

/** Injection token of {@link HostSignIn}. */
export const HOST_SIGN_IN = Symbol('governance.dashboard-host-sign-in');
