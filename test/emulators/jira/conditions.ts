import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** The language of the names that an account sees. */
export type Language = 'en' | 'de';

/** The validity of the account's token. */
export type TokenKind =
  /** Works at the address of the site, `https://acme.atlassian.net`. */
  | 'without scopes'
  /**
   * Works only at `https://api.atlassian.com/ex/jira/{cloudId}`. At the address of the site, the request counts as
   * anonymous
   * (https://support.atlassian.com/atlassian-cloud/kb/401-unauthorized-error-when-service-account-accesses-jira-or-confluence-api,
   * https://jira.atlassian.com/browse/CLOUD-12617).
   */
  | 'with scopes';

/** Faults and special settings of a site. A test can change them at any time. By default there are none. */
export interface SiteConditions {
  /** Language of the account's profile. Names of types, priorities, statuses and resolutions are in this language. */
  language: Language;
  token: TokenKind;
  /** Scopes of the token. If the required scope is missing, the gateway answers 401 "scope does not match". */
  scopes: ReadonlySet<string>;
  /** Permissions in the project that the account lacks, such as ADD_COMMENTS (REST API v3, "Get my permissions"). */
  lacks: ReadonlySet<string>;
  /**
   * Maximum number of issues on a page of a search, whatever the request asks for (REST API v3, "Search for issues
   * using JQL").
   */
  searchPage: number;
  /** Maximum number of entries on a page of create metadata (docs, "Get create field metadata"). */
  metaPage: number;
  /**
   * Milliseconds from the creation of an issue until searches find it. A function is called for each issue
   * (https://developer.atlassian.com/cloud/jira/platform/search-and-reconcile: "from a few seconds to minutes").
   */
  indexLagMs: number | (() => number);
  /** The number of first searches that do not find an issue, however late they come. */
  missedSearches: number;
  /** How the site treats a wrong token: it refuses the request, or answers it as anonymous. */
  wrongToken: 'is refused' | 'is anonymous';
  /** Seconds of `Retry-After` (https://developer.atlassian.com/cloud/jira/platform/rate-limiting). */
  throttledForS?: number;
  /** The screen of the final transition requires a resolution (docs, "Transition issue", `fields`). */
  requiresResolution?: boolean;
  /** Name of another field that the screen of the final transition requires. */
  requires?: string;
  /** Ids of the transitions that the workflow lets the account make. Default: all. */
  transitions?: readonly string[];
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
    lacks: new Set(),
    searchPage: 100,
    metaPage: 200,
    indexLagMs: 0,
    missedSearches: 0,
    wrongToken: 'is refused',
  };
}

/** The fault answer of the site; undefined if it answers normally. */
export function disturbance({ maintenance, throttledForS, exhaustedForS }: SiteConditions): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 200' ? 200 : 503, text: MAINTENANCE };
  if (exhaustedForS !== undefined) {
    return { ...refused(503, ['Service unavailable.']), headers: { 'retry-after': String(exhaustedForS) } };
  }
  return throttledForS === undefined ? undefined : throttled(throttledForS);
}

/** The refusal of a request beyond a quota. */
export function throttled(seconds: number): PlatformAnswer {
  const headers = { 'retry-after': String(seconds), 'ratelimit-reason': 'jira-quota-based' };
  return { ...refused(429, ['Rate limit exceeded.']), headers };
}

/** A refusal in the format of Jira's errors. */
export function refused(
  status: number,
  errorMessages: readonly string[],
  errors: Readonly<Record<string, string>> = {},
): PlatformAnswer {
  return { status, json: { errorMessages: [...errorMessages], errors: { ...errors } } };
}

/** An internal error of the site. */
export const FAILED: PlatformAnswer = refused(500, ['Internal server error']);

/** The gateway's error for a token without the scope of the operation. */
export const SCOPE_MISMATCH: PlatformAnswer = {
  status: 401,
  json: { code: 401, message: 'Unauthorized; scope does not match' },
};

const MAINTENANCE = '<!DOCTYPE html><html><head><title>Jira is undergoing maintenance</title></head></html>';
