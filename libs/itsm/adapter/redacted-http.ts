import type { Json, JsonObject } from '#core';
import { AdapterHttp, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import type { ItsmAdapter } from './itsm-adapter.port.js';
import { SecretFilter } from './secret-filter.js';

/** Rules that decide which answers are successes, and which secrets are hidden even in successes. */
export interface AnswerRules {
  /** Whether an answer is a success. Default: status 200–299. If the function throws, the answer is not a success. */
  readonly isSuccess?: (answer: AdapterResponse) => boolean;
  /** Finds the secrets that are sent in request bodies, because platforms repeat bodies in answers. Default: none. */
  readonly echoed?: SecretFilter;
}

/**
 * An HTTP client that removes secrets from unsuccessful answers before the adapter can quote or truncate these answers.
 * In successful answers, adapters need exact names and keys. Therefore, only secrets that were sent in a request body
 * are removed from those.
 */
export class RedactedHttp extends AdapterHttp {
  constructor(
    private readonly http: AdapterHttp,
    private readonly filter: SecretFilter,
    private readonly rules: AnswerRules = {},
  ) {
    super();
  }

  /** Creates the client for a connector with these secrets. */
  static of<Settings extends object, Secrets extends object>(
    adapter: ItsmAdapter<Settings, Secrets>,
    http: AdapterHttp,
    secrets: Secrets,
  ): RedactedHttp {
    const values: JsonObject = { ...(secrets as object) };
    const inBodies = Object.entries(values).filter(([name]) => adapter.bodySecrets?.includes(name));
    const rules: AnswerRules = {
      isSuccess: answer => adapter.isSuccess?.(answer) ?? hasSuccessStatus(answer),
      ...(inBodies.length > 0 && { echoed: new SecretFilter(Object.fromEntries(inBodies)) }),
    };
    return new RedactedHttp(http, new SecretFilter(values), rules);
  }

  override async request(request: AdapterRequest): Promise<AdapterResponse> {
    const answer = await this.http.request(request);
    if (!this.isSuccess(answer)) return redactedAnswer(answer, this.filter);
    const { echoed } = this.rules;
    const text = [...Object.values(answer.headers), answer.body.toString('utf8')].join('\n');
    return echoed?.finds(text) ? redactedAnswer(answer, echoed) : answer;
  }

  /**
   * If the adapter's `isSuccess` throws for an unexpected answer, the answer counts as unsuccessful, so that secrets
   * are removed from it.
   */
  private isSuccess(answer: AdapterResponse): boolean {
    try {
      return (this.rules.isSuccess ?? hasSuccessStatus)(answer);
    } catch {
      return false;
    }
  }
}

function hasSuccessStatus({ status }: AdapterResponse): boolean {
  return status >= 200 && status < 300;
}

/** Returns the answer with secrets hidden in headers and body. */
export function redactedAnswer(answer: AdapterResponse, filter: SecretFilter): AdapterResponse {
  const shown = Object.entries(answer.headers).map(([name, value]) => [name, filter.hide(value)] as const);
  const said: Json | undefined = answer.json();
  const kept = said === undefined ? undefined : filter.hideIn(said);
  const text = kept === undefined ? filter.hide(answer.body.toString('utf8')) : JSON.stringify(kept);
  const headers = Object.fromEntries(shown);
  return { status: answer.status, headers, body: Buffer.from(text), json: () => structuredClone(kept) };
}
