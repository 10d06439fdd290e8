import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { failure } from './errors.js';

/** Faults and special settings of an organization. A test can change them at any time. By default there are none. */
export interface AzureConditions {
  /** The state of the account's token. `read only` lacks the scope `vso.work_write`. */
  token: 'valid' | 'expired' | 'read only';
  /**
   * The answer to a request without a valid token. Instead of an error, it is the sign-in page with 203, or a redirect
   * to it with 302 (https://github.com/MicrosoftDocs/vsts-rest-api-specs/issues/574, issue 97;
   * https://github.com/MicrosoftDocs/azure-devops-docs/issues/13661).
   */
  signIn: 'page' | 'redirect';
  /** Fields that a rule of the process requires of new items, by reference name with their labels. */
  required: Readonly<Record<string, string>>;
  /**
   * States to which an item may change, by its current state. Without an entry, every state of its type
   * (https://learn.microsoft.com/azure/devops/organizations/settings/work/apply-rules-to-workflow-states).
   */
  transitions: Readonly<Record<string, readonly string[]>>;
  /** The number of next updates that collide with a concurrent update: 409, TF26071. */
  collisions: number;
  /** A query that finds more items than this fails: 20,000 (docs, "Work tracking, process, and project limits"). */
  queryLimit: number;
  /**
   * Seconds by which requests are delayed: 200 with `Retry-After` (docs, "Rate and usage limits", "API client
   * experience").
   */
  delayedForS?: number;
  /** Seconds for which requests are blocked: 429 with `Retry-After` (same pages of the docs). */
  blockedForS?: number;
  maintenance?: 'a page with 503';
}

export function plainOrganization(): AzureConditions {
  return { token: 'valid', signIn: 'page', required: {}, transitions: {}, collisions: 0, queryLimit: 20_000 };
}

/** The fault answer of the organization; undefined if it answers normally. */
export function disturbance({ maintenance, blockedForS }: AzureConditions): PlatformAnswer | undefined {
  if (maintenance !== undefined)
    return { status: 503, text: '<html><title>Azure DevOps Services Unavailable</title></html>' };
  return blockedForS === undefined ? undefined : blocked(blockedForS);
}

/** https://learn.microsoft.com/azure/devops/integrate/concepts/rate-limits, "API client experience". */
export function rateHeaders(seconds: number, delay?: number): Record<string, string> {
  return {
    ...{ 'retry-after': String(seconds), 'x-ratelimit-resource': 'ADOWebApi/Concurrency' },
    ...{ 'x-ratelimit-limit': '200', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1893456000' },
    ...(delay !== undefined && { 'x-ratelimit-delay': delay.toFixed(3) }),
  };
}

export function blocked(seconds: number): PlatformAnswer {
  const message =
    'TF400733: The request has been canceled: Request was blocked due to exceeding usage of resource ' +
    "'Concurrency' in namespace 'ADOWebApi'.";
  return { ...failure(429, 'RequestBlockedException', message), headers: rateHeaders(seconds) };
}

/**
 * The answer to a request without a valid token. Reading and creating redirect to the sign-in page. PATCH answers 401
 * with an error (https://github.com/microsoft/azure-devops-auth-samples/issues/52), and so does every request with
 * `X-TFS-FedAuthRedirect: Suppress`.
 */
export function signIn(
  method: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { signIn: kind }: AzureConditions,
): PlatformAnswer {
  if (method === 'PATCH' || headers['x-tfs-fedauthredirect'] === 'Suppress') return UNAUTHORIZED;
  if (kind === 'page') return { status: 203, text: SIGN_IN_PAGE };
  const location = 'https://spsprodweu1.vssps.visualstudio.com/_signin?realm=dev.azure.com';
  return { status: 302, headers: { location }, text: '<html><head><title>Object moved</title></head></html>' };
}

export const UNAUTHORIZED = failure(
  401,
  'UnauthorizedRequestException',
  "TF400813: The user '' is not authorized to access this resource.",
);

export const EXPIRED: PlatformAnswer = {
  status: 401,
  text: 'Access Denied: The Personal Access Token used has expired.',
};

const SIGN_IN_PAGE =
  '<!DOCTYPE html><html lang="en-US"><head><title>Azure DevOps Services | Sign In</title></head><body></body></html>';
