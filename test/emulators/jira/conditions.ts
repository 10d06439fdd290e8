import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** Which names an account is shown. */
export type Language = 'en' | 'de';

/** What the token of the account is good for. */
export type TokenKind =
  /** Works at the site, `https://acme.atlassian.net`. */
  | 'without scopes'
  /**
   * Works at `https://api.atlassian.com/ex/jira/{cloudId}` only; at the site the request counts as a stranger's
   * (https://support.atlassian.com/atlassian-cloud/kb/401-unauthorized-error-when-service-account-accesses-jira-or-confluence-api,
   * https://jira.atlassian.com/browse/CLOUD-12617).
   */
  | 'with scopes';

/** What is wrong with a site, or unusual about it. A test changes it at any time; the default is a plain site. */
export interface SiteConditions {
  /** Language of the account's profile: names of types, priorities, statuses and resolutions are in it. */
  language: Language;
  token: TokenKind;
  /** Scopes that the token has; without the right one the gateway answers 401 "scope does not match". */
  scopes: ReadonlySet<string>;
  /** Most issues on a page of a search, whatever was asked for (REST API v3, "Search for issues using JQL"). */
  searchPage: number;
  /** Seconds of `Retry-After` (https://developer.atlassian.com/cloud/jira/platform/rate-limiting). */
  throttledForS?: number;
  /** The screen on which issues are finished requires a resolution (docs, "Transition issue", `fields`). */
  requiresResolution?: boolean;
  /** Name of a field that this screen requires, too. */
  requires?: string;
  maintenance?: 'a page with 200' | 'a page with 503';
  /**
   * Seconds of `Retry-After` of a 503, as when a resource limit is reached
   * (https://developer.atlassian.com/cloud/jira/platform/rate-limiting, https://jira.atlassian.com/browse/JRACLOUD-69262).
   */
  exhaustedForS?: number;
}

export function plainSite(): SiteConditions {
  return {
    language: 'en',
    token: 'without scopes',
    scopes: new Set(['read:jira-work', 'write:jira-work']),
    searchPage: 100,
  };
}

/** What the site answers in place of its duty; undefined where it does its duty. */
export function disturbance({ maintenance, throttledForS, exhaustedForS }: SiteConditions): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 200' ? 200 : 503, text: MAINTENANCE };
  if (exhaustedForS !== undefined) {
    return { ...refused(503, ['Service unavailable.']), headers: { 'retry-after': String(exhaustedForS) } };
  }
  if (throttledForS === undefined) return undefined;
  const headers = { 'retry-after': String(throttledForS), 'ratelimit-reason': 'jira-quota-based' };
  return { ...refused(429, ['Rate limit exceeded.']), headers };
}

/** In the shape of Jira's errors. */
export function refused(
  status: number,
  errorMessages: readonly string[],
  errors: Readonly<Record<string, string>> = {},
): PlatformAnswer {
  return { status, json: { errorMessages: [...errorMessages], errors: { ...errors } } };
}

/** The gateway's word for a token without the scope that the operation needs. */
export const SCOPE_MISMATCH: PlatformAnswer = {
  status: 401,
  json: { code: 401, message: 'Unauthorized; scope does not match' },
};

const MAINTENANCE = '<!DOCTYPE html><html><head><title>Jira is undergoing maintenance</title></head></html>';
