import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** Faults and special settings of an instance. A test can change them at any time. By default there are none. */
export interface GitLabConditions {
  /**
   * The state of the account's token. `read_api` and `expired` answer with OAuth 2.0 errors
   * (https://docs.gitlab.com/api/rest/authentication/, https://docs.gitlab.com/api/rest/troubleshooting/).
   */
  token: 'api' | 'read_api' | 'expired' | 'revoked';
  /** The last day on which the token is valid. */
  tokenEnds: string;
  /**
   * The account's role in the project. A guest sees only the confidential issues that the guest created, and cannot set
   * labels. A non-member does not see a private project (https://docs.gitlab.com/user/permissions/,
   * https://docs.gitlab.com/user/project/issues/confidential_issues/).
   */
  role: 'reporter' | 'guest' | 'none';
  /**
   * Whether the project is archived and therefore read-only
   * (https://docs.gitlab.com/user/project/working_with_projects/).
   */
  isArchived: boolean;
  /**
   * Whether new issues are classified as spam, and whether the client gets a CAPTCHA to solve
   * (https://docs.gitlab.com/api/rest/troubleshooting/, "Requests detected as spam").
   */
  spam?: 'discarded' | 'captcha';
  /**
   * The error for a missing attribute: as documented, or as the parser of current instances reports it
   * (`{"error":"title is missing"}`). Clients must handle both.
   */
  missing: 'documented' | 'parser';
  /** Seconds until the rate limit resets (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/). */
  throttledForS?: number;
  /**
   * Whether the limit of new issues per minute is reached
   * (https://docs.gitlab.com/administration/settings/rate_limit_on_issues_creation/).
   */
  hasTooManyIssues?: boolean;
  maintenance?: 'a page with 502' | 'a page with 503';
  /** The visibility of the project (https://docs.gitlab.com/user/public_access/). */
  visibility: 'private' | 'internal' | 'public';
  /**
   * Whether the instance is older than 15.5 and has no `GET /personal_access_tokens/self`
   * (https://docs.gitlab.com/api/personal_access_tokens/).
   */
  isOld: boolean;
}

export function plainInstance(): GitLabConditions {
  return {
    ...{ token: 'api', tokenEnds: '2099-12-31', role: 'reporter', isArchived: false, missing: 'documented' },
    ...{ visibility: 'private', isOld: false },
  };
}

/** An error of the application: `{"message": …}`. */
export function refused(status: number, message: string | JsonObject): PlatformAnswer {
  return { status, json: { message } };
}

/** An error of the parser or of the token check: `{"error": …}`. */
export function mistaken(status: number, error: string, more: JsonObject = {}): PlatformAnswer {
  return { status, json: { error, ...more } };
}

/** The fault answer of the instance; undefined if it answers normally. */
export function disturbance({ maintenance, throttledForS }: GitLabConditions, now: Date): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 502' ? 502 : 503, text: PAGE };
  return throttledForS === undefined ? undefined : throttled(throttledForS, now);
}

/** The answer of the rate limiter: plain text, with the documented headers. */
export function throttled(seconds: number, now: Date): PlatformAnswer {
  const reset = new Date(now.getTime() + seconds * 1_000);
  return {
    status: 429,
    text: 'Retry later\n',
    headers: {
      'content-type': 'text/plain',
      'ratelimit-limit': '60',
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '67',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Math.ceil(reset.getTime() / 1_000)),
      'ratelimit-resettime': reset.toUTCString(),
      'retry-after': String(seconds),
    },
  };
}

/** The error for the state of a token; undefined if the token is accepted. */
export function tokenRefusal(token: GitLabConditions['token'], isReading: boolean): PlatformAnswer | undefined {
  switch (token) {
    case 'expired':
      return mistaken(401, 'invalid_token', {
        error_description: 'Token is expired. You can either do re-authorization.',
      });
    case 'revoked':
      return mistaken(401, 'invalid_token', {
        error_description: 'Token was revoked. You have to re-authorize from the user.',
      });
    case 'read_api':
      return isReading ? undefined : INSUFFICIENT_SCOPE;
    case 'api':
      return undefined;
  }
}

/**
 * The answer to `GET /personal_access_tokens/self` (https://docs.gitlab.com/api/personal_access_tokens/,
 * "Self-inform").
 */
export function tokenDetails({ token, tokenEnds }: GitLabConditions): PlatformAnswer {
  const scopes = [token === 'read_api' ? 'read_api' : 'api'];
  return {
    status: 200,
    json: { id: 4, name: 'governance', revoked: false, active: true, scopes, expires_at: tokenEnds },
  };
}

/** Numeric access levels (https://docs.gitlab.com/api/access_requests/). */
const LEVELS = { guest: 10, reporter: 20, none: 0 };

/**
 * The project, with the access level of the account (https://docs.gitlab.com/api/projects/, "Get a single project").
 */
export function projectDetails({ role, isArchived, visibility }: GitLabConditions): JsonObject {
  const permissions = { project_access: { access_level: LEVELS[role], notification_level: 3 }, group_access: null };
  return { permissions, archived: isArchived, visibility, issues_access_level: 'enabled' };
}

/**
 * The status is 409 if there is a CAPTCHA, whose solution the client may send in a repeated request. Without a CAPTCHA
 * it is 400. The documentation names no status.
 */
export function spamRefusal(spam: 'discarded' | 'captcha'): PlatformAnswer {
  if (spam === 'discarded') {
    return refused(400, { error: 'Your issue has been recognized as spam and has been discarded.' });
  }
  const error = 'Your issue has been recognized as spam. Please, change the content or solve the reCAPTCHA to proceed.';
  return {
    status: 409,
    json: { needs_captcha_response: true, spam_log_id: 42, captcha_site_key: 'REDACTED', message: { error } },
  };
}

const INSUFFICIENT_SCOPE = mistaken(403, 'insufficient_scope', {
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'api',
});

const PAGE = '<!DOCTYPE html><html><head><title>GitLab is not responding</title></head></html>';
