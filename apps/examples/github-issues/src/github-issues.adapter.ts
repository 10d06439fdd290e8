import { asObject, asText, cutText, ItsmAdapter, isUuid, jsonOf, markdownText } from 'nest-llm-governance/itsm';
import { messageOf, objectIn, oneLine, outcomeOfRefusal, payloadText, quoted } from 'nest-llm-governance/itsm';
import { PlatformAnswerError, readPages, refusal, retryAfterMs, type AdapterContext } from 'nest-llm-governance/itsm';
import type { Check, CreateOutcome, InboundUpdate, JsonObject, RenderedTicket } from 'nest-llm-governance/itsm';
import type { AdapterResponse, TicketDraft, TicketRef, TicketState } from 'nest-llm-governance/itsm';

type Context = AdapterContext<{ repository: string }, { token: string }>;

const HINTS: Record<number, string> = {
  404: 'There is no such repository, or the token may not see it: add it to the repositories of the token.',
  410: 'Switch on the issues of the repository.',
};

const schemaOf = (name: string, title: string, pattern: string): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: [name],
  properties: { [name]: { type: 'string', title, pattern } },
});

/** Opens incidents as issues of one GitHub repository, with a fine-grained access token for issues. */
export class GithubIssuesAdapter extends ItsmAdapter<{ repository: string }, { token: string }> {
  readonly kind = 'github_issues';
  readonly title = 'GitHub Issues';
  // The name `..` is rejected, because it would lead to another path.
  readonly settingsSchema = schemaOf('repository', 'owner/name', '^[\\w-]{1,39}/(?!\\.{1,2}$)[\\w.-]{1,100}$');
  readonly secretsSchema = schemaOf('token', 'Fine-grained token', '^github_pat_\\w+$');
  readonly capabilities = { priority: false, labels: true, comment: false, findByKey: 'eventual' } as const;

  override origins(): string[] {
    return ['https://api.github.com'];
  }

  override render(draft: TicketDraft): RenderedTicket {
    const title = cutText(oneLine(draft.title), 256);
    const link = draft.link === null ? '' : `Incident: <${draft.link}>\n\n`;
    const text = draft.text ? `${markdownText(cutText(draft.text, 5_000))}  \n\n` : '';
    const head = `${keyLine(draft.key)}\n\nSeverity: ${draft.severity}\n\n${text}${link}\`\`\`json\n`;
    const description = `${head}${payloadText(draft.payload, 65_536 - head.length - 4)}\n\`\`\``;
    const labels = draft.labels.map(label => cutText(label, 50, '…'));
    return { title, description, labels, body: { title, body: description, labels } };
  }

  override async create(context: Context, { body, labels }: RenderedTicket): Promise<CreateOutcome> {
    const response = await ask(context, `/repos/${context.settings.repository}/issues`, body);
    const answer = objectIn(response);
    const ref = refOf(answer, context.settings.repository);
    if (response.status === 201 && ref) return { kind: 'created', ref, degraded: lacking(answer, labels) };
    const said = asText(answer?.['message']);
    const wait = response.status === 403 ? limitMs(response, context, said) : undefined;
    if (wait !== undefined) return { kind: 'retryable', message: 'GitHub’s limit is used up.', retryAfterMs: wait };
    const hint = HINTS[response.status];
    if (hint !== undefined) return { kind: 'rejected', code: 'config', message: hint };
    const errors: unknown = response.status === 422 ? answer?.['errors'] : undefined;
    const error = Array.isArray(errors) ? errors.map(asObject).find(one => asText(one?.['field'])) : undefined;
    if (!error) return outcomeOfRefusal(response, context.clock, said);
    const field = quoted(asText(error['field']) ?? '');
    const fields = { [field]: quoted(asText(error['message']) ?? 'is not accepted') };
    return { kind: 'rejected', code: 'field', message: `GitHub does not take the ${field}.`, fields };
  }

  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    if (!isUuid(key)) return [];
    const q = `"${key}" in:body repo:${context.settings.repository} is:issue`;
    return readPages<TicketRef, number>(async (page = 1) => {
      // A page has few results, because issue bodies are long and the size of an answer is limited.
      const query = new URLSearchParams({ q, sort: 'created', order: 'desc', per_page: '4', page: String(page) });
      const answer = asObject(jsonOf(await ask(context, `/search/issues?${query.toString()}`), context.clock));
      const { items, total_count: total, incomplete_results: isCut } = answer ?? {};
      if (!Array.isArray(items)) throw new PlatformAnswerError('GitHub’s answer holds no list of issues.');
      const mine = items.map(asObject).filter(issue => asText(issue?.['body'])?.split(/\r?\n/).includes(keyLine(key)));
      const found = mine.flatMap(issue => refOf(issue, context.settings.repository) ?? []);
      if (found.length === 0 && isCut !== false) throw new PlatformAnswerError('GitHub did not search to the end.');
      return { items: found, next: Number(total) > page * 4 ? page + 1 : undefined };
    });
  }

  override async verify(context: Context): Promise<Check[]> {
    const check = (status: Check['status'], message: string): Check[] => [{ name: 'The repository', status, message }];
    try {
      const response = await ask(context, `/repos/${context.settings.repository}`);
      if (response.status !== 200) return check('failed', HINTS[response.status] ?? refusal(response).message);
      const answer = asObject(jsonOf(response));
      if (answer?.['has_issues'] !== true || answer['archived'] === true) return check('failed', 'It takes no issues.');
      if (asObject(answer['permissions'])?.['push'] !== true) return check('warning', 'Labels need write access.');
      return check('passed', 'It takes issues. Whether the token may write them shows with the test ticket.');
    } catch (error) {
      return check('failed', messageOf(error));
    }
  }

  override async status(context: Context, { platformId = '' }: TicketRef): Promise<TicketState | null> {
    const path = `/repos/${context.settings.repository}/issues/${encodeURIComponent(platformId)}`;
    const response = await ask(context, path);
    const state = response.status === 410 ? null : stateOf(asObject(jsonOf(response)));
    if (state === undefined) throw new PlatformAnswerError('GitHub does not say where the issue stands.');
    return state;
  }

  override mapInbound(body: JsonObject): InboundUpdate | null {
    const issue = body['action'] === 'closed' || body['action'] === 'reopened' ? asObject(body['issue']) : undefined;
    const [ref, state] = [refOf(issue, asText(asObject(body['repository'])?.['full_name'])), stateOf(issue)];
    return ref && state ? { externalTicketId: ref.externalTicketId, ...state } : null;
  }
}

/** Identifies the issue. No other line equals it: JSON escapes line breaks, and a template’s lines end with spaces. */
const keyLine = (key: string): string => `Reference: ${key}`;

function ask({ secrets, http }: Context, path: string, json?: JsonObject): Promise<AdapterResponse> {
  const version = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
  const [url, headers] = [`https://api.github.com${path}`, { authorization: `Bearer ${secrets.token}`, ...version }];
  return http.request({ method: json ? 'POST' : 'GET', url, headers, ...(json && { json }) });
}

function refOf(issue: JsonObject | undefined, repository: string | undefined): TicketRef | undefined {
  const [number, url] = [issue?.['number'], asText(issue?.['html_url'])];
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || repository === undefined) return undefined;
  const name = { externalTicketId: `${repository}#${number}`, platformId: String(number) };
  return url?.startsWith('https://') ? { ...name, url } : name;
}

function stateOf(issue: JsonObject | undefined): TicketState | undefined {
  if (issue?.['state'] !== 'closed') return issue?.['state'] === 'open' ? { status: 'open' } : undefined;
  const resolution = asText(issue['state_reason']) ?? 'completed';
  return { status: resolution === 'completed' ? 'resolved' : 'closed', resolution };
}

/** GitHub silently drops labels that the account may not set. */
function lacking(issue: JsonObject | undefined, labels: readonly string[]): string[] {
  const set = JSON.stringify(issue?.['labels'] ?? []).toLowerCase();
  const isMissing = (label: string): boolean => !set.includes(JSON.stringify(label.toLowerCase()));
  return labels.some(isMissing) ? ['GitHub has not set all labels.'] : [];
}

/** The delay before a retry. GitHub answers rate limits with 403, too. Undefined if the 403 is about permissions. */
function limitMs(response: AdapterResponse, { clock }: Context, said = ''): number | undefined {
  const { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset } = response.headers;
  const resetMs = left === '0' ? Number(reset) * 1000 - clock.now().getTime() : 0;
  return retryAfterMs(response, clock) ?? (resetMs > 0 ? resetMs : /rate limit/i.test(said) ? 60_000 : undefined);
}
