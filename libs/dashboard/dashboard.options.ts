import { option } from '#core';
import type { HostSignIn } from './host/host-sign-in.js';

/** The path and folder of the dashboard's page, and the ways to sign in. */
export interface DashboardStructure extends Partial<HostSignIn> {
  /** Path of the page below the module's own path, such as `dashboard`. Default: the module's own path. */
  path?: string;
  /**
   * Lets people sign in on the page with an access token, which starts a session of the browser. The page must then be
   * at the module's own path, because the browser sends the cookie only to that path. If the host signs people in, omit
   * this and provide `resolveUser` and `resolveAccess` instead. Default: false.
   */
  sessions?: boolean;
  /** Folder of the built page. Default: the page that comes with this package. */
  folder?: string;
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Rules that {@link DashboardStructure} must satisfy. */
export const DASHBOARD_RULES = {
  path: option.rule(value => typeof value === 'string', 'must be a text such as "dashboard"'),
  sessions: option.flag(),
  folder: option.rule(option.isText, 'must be a path such as /srv/dashboard'),
  resolveUser: option.rule(isFunction, 'must be a function that takes a request and returns a user or null'),
  resolveAccess: option.rule(isFunction, 'must be a function that takes a user and returns what it may do'),
} satisfies option.RulesOf<DashboardStructure>;
