import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { refused } from '../jira/conditions.js';

/** Faults and special settings of an instance. A test can change them at any time. By default there are none. */
export interface DataCenterConditions {
  /**
   * Whether the account may browse the project and create issues. Otherwise the instance answers as if the project did
   * not exist.
   */
  isMember: boolean;
  /**
   * Whether there were too many failed logins by password: the account must first solve a CAPTCHA in a browser, even
   * with the right password (https://developer.atlassian.com/server/jira/platform/basic-authentication/, "CAPTCHA").
   * Tokens still work.
   */
  needsCaptcha: boolean;
  /**
   * Maximum number of issues on a page of a search, whatever the request asks for: `jira.search.views.default.max`,
   * 1,000 by default.
   */
  searchPage: number;
  /**
   * Seconds until the token bucket is filled again
   * (https://confluence.atlassian.com/adminjiraserver/adjusting-your-code-for-rate-limiting-987143384.html).
   */
  throttledForS?: number;
  /** The answer of the proxy in front of the instance, which answers during maintenance. */
  maintenance?: 'a page with 502' | 'a page with 503';
}

export function plainInstance(): DataCenterConditions {
  return { isMember: true, needsCaptcha: false, searchPage: 1_000 };
}

/** The fault answer of the instance; undefined if it answers normally. */
export function disturbance({ maintenance, throttledForS }: DataCenterConditions): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 502' ? 502 : 503, text: PROXY_PAGE };
  return throttledForS === undefined ? undefined : throttled(throttledForS);
}

export function throttled(seconds: number): PlatformAnswer {
  return {
    ...refused(429, ['Rate limit exceeded.']),
    headers: {
      ...{ 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-fillrate': '20' },
      ...{ 'x-ratelimit-interval-seconds': '60', 'retry-after': String(seconds) },
    },
  };
}

/** The answer to a wrong token or password: a page, not JSON, with the reason in a header. */
export const LOGIN_FAILED: PlatformAnswer = {
  status: 401,
  text: '<html><head><title>Unauthorized (401)</title></head><body>Encountered a "401 - Unauthorized" error.</body></html>',
  headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' },
};

/**
 * The answer to a login that is refused before the password is checked (https://jira.atlassian.com/browse/ID-6351
 * quotes the documentation).
 */
export const LOGIN_DENIED: PlatformAnswer = {
  status: 403,
  text: '<html><body>Basic Authentication Failure - Reason : AUTHENTICATION_DENIED</body></html>',
  headers: {
    'x-seraph-loginreason': 'AUTHENTICATION_DENIED',
    'x-authentication-denied-reason': 'CAPTCHA_CHALLENGE; login-url=https://jira.acme.test/login.jsp',
  },
};

/** https://confluence.atlassian.com/jirakb/rest-api-calls-with-a-browser-user-agent-header-may-fail-csrf-checks-802591455.html. */
export const XSRF_FAILED: PlatformAnswer = {
  status: 403,
  text: 'XSRF check failed',
  headers: { 'content-type': 'text/html;charset=UTF-8' },
};

const PROXY_PAGE = '<html><head><title>Service Unavailable</title></head><body>Jira is starting up</body></html>';
