import type { Json, JsonObject } from '#core';
import { AdapterHttp, type AdapterRequest, type AdapterResponse } from './adapter-http.js';
import type { ItsmAdapter } from './itsm-adapter.port.js';
import { SecretFilter } from './secret-filter.js';

/** Which answers are successes, and which secrets are hidden in successes as well. */
export interface AnswerRules {
  /** Default: status 200–299. An answer for which it throws is not a success. */
  readonly isSuccess?: (answer: AdapterResponse) => boolean;
  /** Finds the secrets that are sent in bodies, because platforms echo bodies. Default: none. */
  readonly echoed?: SecretFilter;
}

/**
 * An HTTP client that removes secrets from unsuccessful answers before the adapter can quote or truncate them.
 * Successful answers stay unchanged, because adapters need exact names and keys. Only secrets that were sent in a body
 * are removed from them as well.
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

  /** If the adapter fails on an unexpected answer, its secrets are still removed. */
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
