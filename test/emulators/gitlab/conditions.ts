import type { JsonObject } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';

/** What is wrong with an instance, or unusual about it. A test changes it at any time; the default is a plain one. */
export interface GitLabConditions {
  /**
   * How the account's token stands. `read_api` and `expired` answer in the words of OAuth 2.0
   * (https://docs.gitlab.com/api/rest/authentication/, https://docs.gitlab.com/api/rest/troubleshooting/).
   */
  token: 'api' | 'read_api' | 'expired' | 'revoked';
  /** The last day of the token. */
  tokenEnds: string;
  /**
   * The account's role in the project. A guest sees no confidential issue but his own, and sets no labels; a stranger
   * does not see a private project (https://docs.gitlab.com/user/permissions/,
   * https://docs.gitlab.com/user/project/issues/confidential_issues/).
   */
  role: 'reporter' | 'guest' | 'none';
  /** The project is archived: it can be read only (https://docs.gitlab.com/user/project/working_with_projects/). */
  isArchived: boolean;
  /**
   * New issues are taken for spam, without or with a CAPTCHA to solve
   * (https://docs.gitlab.com/api/rest/troubleshooting/, "Requests detected as spam").
   */
  spam?: 'discarded' | 'captcha';
  /**
   * How a missing attribute is reported: as the documentation has it, or as the parser of today's instances does
   * (`{"error":"title is missing"}`). Clients must bear both.
   */
  missing: 'documented' | 'parser';
  /** Seconds until the rate limit is reset (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/). */
  throttledForS?: number;
  /** The limit of issues a minute is reached (https://docs.gitlab.com/administration/settings/rate_limit_on_issues_creation/). */
  hasTooManyIssues?: boolean;
  maintenance?: 'a page with 502' | 'a page with 503';
  /** Who sees the project (https://docs.gitlab.com/user/public_access/). */
  visibility: 'private' | 'internal' | 'public';
  /** An instance before 15.5 has no `GET /personal_access_tokens/self` (https://docs.gitlab.com/api/personal_access_tokens/). */
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

/** What the instance answers in place of its duty; undefined where it does its duty. */
export function disturbance({ maintenance, throttledForS }: GitLabConditions, now: Date): PlatformAnswer | undefined {
  if (maintenance !== undefined) return { status: maintenance === 'a page with 502' ? 502 : 503, text: PAGE };
  return throttledForS === undefined ? undefined : throttled(throttledForS, now);
}

/** The answer of the request limiter: a plain text, with the headers of its documentation. */
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

/** What the state of a token has the instance say; undefined where it may pass. */
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

/** `GET /personal_access_tokens/self` (https://docs.gitlab.com/api/personal_access_tokens/, "Self-inform"). */
export function tokenDetails({ token, tokenEnds }: GitLabConditions): PlatformAnswer {
  const scopes = [token === 'read_api' ? 'read_api' : 'api'];
  return {
    status: 200,
    json: { id: 4, name: 'governance', revoked: false, active: true, scopes, expires_at: tokenEnds },
  };
}

/** Roles as numbers (https://docs.gitlab.com/api/access_requests/). */
const LEVELS = { guest: 10, reporter: 20, none: 0 };

/** What a project says of the account's role and of itself (https://docs.gitlab.com/api/projects/, "Get a single project"). */
export function projectDetails({ role, isArchived, visibility }: GitLabConditions): JsonObject {
  const permissions = { project_access: { access_level: LEVELS[role], notification_level: 3 }, group_access: null };
  return { permissions, archived: isArchived, visibility, issues_access_level: 'enabled' };
}

/** With a CAPTCHA to solve, a 409 that can be repeated with the solution; without, a 400. No status is documented. */
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
