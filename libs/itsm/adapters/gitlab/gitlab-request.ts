import type { Clock, JsonObject } from '#core';
import type { AdapterRequest, AdapterResponse } from '../../adapter/adapter-http.js';
import type { CreateOutcome } from '../../adapter/create-outcome.js';
import {
  asObject,
  asText,
  jsonOf,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  quoted,
  retryAfterMs,
} from '../../adapter/platform-answer.js';
import type { GitLabContext } from './gitlab-settings.js';

type Trouble = Exclude<CreateOutcome, { kind: 'created' }>;

/** What GitLab means where its status says something else, by its words. */
const MEANINGS = [
  [/moved (permanently|projects)/i, 'config', 'The project was moved or renamed: enter its new path, or its id.'],
  [/insufficient_scope/i, 'forbidden', 'The access token lacks the scope api: create one that has it.'],
  [/recognized as spam/i, 'config', 'GitLab takes the issue for spam: have an administrator allow the account.'],
] as const;

/** Asks the API below the project. A path that begins with two slashes is below the API itself. */
export function askGitLab(
  { settings, secrets, http }: GitLabContext,
  path: string,
  request: Pick<AdapterRequest, 'json' | 'timeoutMs'> & { readonly method?: 'POST' | 'PUT' } = {},
): Promise<AdapterResponse> {
  const api = `${settings.instance_url.replace(/\/+$/, '')}/api/v4`;
  const { json, timeoutMs } = request;
  return http.request({
    method: request.method ?? (json === undefined ? 'GET' : 'POST'),
    url: path.startsWith('//') ? api + path.slice(1) : `${api}/projects/${encodeURIComponent(settings.project)}${path}`,
    headers: { accept: 'application/json', 'private-token': secrets.access_token },
    ...(json !== undefined && { json }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
}

/** An answer with status 200 and JSON to a request that reads. @throws PlatformAnswerError, AdapterHttpError */
export async function readGitLab(context: GitLabContext, path: string): Promise<AdapterResponse> {
  const answer = await askGitLab(context, path);
  if (answer.status !== 200) throw readingError(answer, context.clock);
  jsonOf(answer, context.clock);
  return answer;
}

/** A refusal of a request that reads. */
export function readingError(answer: AdapterResponse, clock: Clock): PlatformAnswerError {
  const trouble = troubleOf(answer, clock);
  if (trouble.kind === 'rejected') return new PlatformAnswerError(trouble.message, { code: trouble.code });
  const wait = waitOf(answer, clock);
  const message = `GitLab did not say what it was asked for (${answer.status}).`;
  return new PlatformAnswerError(message, wait === undefined ? {} : { retryAfterMs: wait });
}

/** What an answer to a create or a change means that is no success. */
export function troubleOf(answer: AdapterResponse, clock: Clock): Trouble {
  const { said, fields } = reasonsIn(answer);
  const [, code, message] = MEANINGS.find(([words]) => answer.status < 500 && words.test(said ?? '')) ?? [];
  if (code !== undefined) return { kind: 'rejected', code, message };
  if (fields && (answer.status === 400 || answer.status === 422)) {
    return { kind: 'rejected', code: 'field', message: `GitLab rejected the issue: ${quoted(said ?? '')}`, fields };
  }
  const outcome = outcomeOfRefusal(answer, clock, said);
  if (outcome.kind === 'created') throw new Error('A refusal creates nothing.');
  const wait = outcome.kind === 'retryable' ? waitOf(answer, clock) : undefined;
  return wait === undefined ? outcome : { kind: 'retryable', message: outcome.message, retryAfterMs: wait };
}

/** `Retry-After`, or else the moment at which the limit of requests is reset. */
function waitOf(answer: AdapterResponse, clock: Clock): number | undefined {
  const { 'ratelimit-remaining': remaining, 'ratelimit-reset': reset = '' } = answer.headers;
  const asked = retryAfterMs(answer, clock);
  if (asked !== undefined || remaining !== '0' || !/^\d{1,12}$/.test(reset)) return asked;
  return Math.max(0, Number(reset) * 1_000 - clock.now().getTime());
}

/** Reasons stand in `message`, as a text or by attribute, or in `error` (https://docs.gitlab.com/api/rest/troubleshooting/). */
function reasonsIn(answer: AdapterResponse): { said?: string; fields?: Record<string, string> } {
  const { message, error, error_description: more } = objectIn(answer) ?? {};
  const byName = asObject(message);
  const lists = Object.entries(byName ?? {}).flatMap(([name, reasons]) =>
    Array.isArray(reasons)
      ? [[quoted(name), quoted(reasons.flatMap(each => asText(each) ?? []).join(', '))] as const]
      : [],
  );
  if (lists.length > 0) {
    return { fields: Object.fromEntries(lists), said: lists.map(each => each.join(' ')).join('; ') };
  }
  const texts = [asText(message), asText(byName?.['error']), asText(error), asText(more)];
  const said = texts.filter(text => text !== undefined).join(': ');
  const [, name, what] = /^(?:400 \(Bad request\) )?"?(\w+)"? (not given|is .+|does not .+)$/i.exec(said) ?? [];
  return {
    ...(said !== '' && { said }),
    ...(name !== undefined && what !== undefined && { fields: { [name]: what } }),
  };
}

/** A whole number as a text. */
export function idIn(json: JsonObject | undefined, name: string): string | undefined {
  const value = json && Object.hasOwn(json, name) ? json[name] : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}
