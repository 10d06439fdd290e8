import { describe, expect, it } from '@jest/globals';
import {
  asObject,
  asText,
  SystemClock,
  type AdapterContext,
  type AdapterRequest,
  type Check,
  type CreateOutcome,
  type JsonObject,
  type RenderedTicket,
  type TicketDraft,
  type TicketRef,
} from 'nest-llm-governance/itsm';
import {
  itsmAdapterContract,
  ScriptedAdapterHttp,
  type ItsmAdapterGround,
  type PlatformAnswer,
} from 'nest-llm-governance/testing';
import { GithubIssuesAdapter } from './github-issues.adapter.js';
import { governanceWithGithubIssues } from './github-issues.module.js';

interface Settings {
  repository: string;
}

interface Secrets {
  token: string;
}

const settings: Settings = { repository: 'acme/incidents' };
const secrets: Secrets = { token: 'github_pat_of_the_tests' };
const SEARCH_LAG_MS = 30;

/** GitHub in memory, based on its documentation, with one private repository. */
class GithubDouble {
  readonly issues: (JsonObject & { number: number; body: string; indexedAt: number })[] = [];
  readonly http = new ScriptedAdapterHttp(['https://api.github.com'], request => this.answer(request));
  readonly repository: JsonObject = { full_name: 'acme/incidents', has_issues: true, archived: false };
  mayPush = true;
  /** If set, the answer to the next request, and only to that one. */
  instead: PlatformAnswer | undefined;
  isSearchWhole = true;
  /** Number of issues in which people quote a key. */
  quotes = 1;

  private answer({ method, url, headers, json }: AdapterRequest): PlatformAnswer {
    const { instead } = this;
    this.instead = undefined;
    if (instead) return instead;
    if (headers?.['authorization'] !== `Bearer ${secrets.token}`) return problem(401, 'Bad credentials');
    if (headers['accept'] !== 'application/vnd.github+json') return problem(415, 'Unsupported Media Type');
    if (headers['x-github-api-version'] !== '2022-11-28') return problem(400, 'No such version');
    const { pathname, searchParams } = new URL(url);
    if (method === 'GET' && pathname === '/search/issues') return this.search(searchParams);
    const path = /^\/repos\/acme\/incidents(\/issues(?:\/(\d+))?)?$/.exec(pathname);
    if (!path) return problem(404, 'Not Found');
    if (path[1] === undefined)
      return { status: 200, json: { ...this.repository, permissions: { pull: true, push: this.mayPush } } };
    if (this.repository['has_issues'] !== true) return problem(410, 'Issues has been disabled in this repository.');
    if (method === 'POST' && path[2] === undefined) return this.create(asObject(json) ?? {});
    const issue = this.issues.find(({ number }) => String(number) === path[2]);
    if (method !== 'GET' || !issue) return problem(404, 'Not Found');
    return issue['state'] === 'deleted' ? problem(410, 'This issue was deleted') : { status: 200, json: shown(issue) };
  }

  private create({ title, body, labels = [] }: JsonObject): PlatformAnswer {
    if (this.repository['archived'] === true) return problem(403, 'Repository was archived so is read-only.');
    if (typeof title !== 'string' || title.trim() === '') return invalid('title', 'missing_field');
    if (title.length > 256) return invalid('title', 'custom', 'title is too long (maximum is 256 characters)');
    if (typeof body !== 'string') return invalid('body', 'invalid');
    if (body.length > 65_536) return invalid('body', 'custom', 'body is too long (maximum is 65536 characters)');
    if (!Array.isArray(labels) || !labels.every(label => typeof label === 'string' && /^.{1,50}$/u.test(label)))
      return invalid('labels', 'invalid');
    // Half a surrogate pair is not a character, although JSON can encode it.
    if (![title, body, ...labels].every(text => typeof text === 'string' && text.isWellFormed()))
      return problem(400, 'Problems parsing JSON');
    const number = this.issues.length + 1;
    const issue = {
      number,
      title,
      // When a person edits an issue in the browser, GitHub stores CRLF line breaks.
      body: body.replaceAll('\n', '\r\n'),
      labels: this.mayPush ? labels.map(name => ({ name })) : [],
      state: 'open',
      state_reason: null,
      html_url: `https://github.com/acme/incidents/issues/${number}`,
      indexedAt: Date.now() + SEARCH_LAG_MS,
    };
    this.issues.push(issue);
    return { status: 201, json: shown(issue) };
  }

  /**
   * Finds issues that contain the words of a phrase, regardless of case. A comment may quote the key of another issue.
   */
  private search(query: URLSearchParams): PlatformAnswer {
    const q = query.get('q') ?? '';
    const found = /^"([^"]+)" in:body repo:acme\/incidents is:issue$/.exec(q)?.[1];
    if (found === undefined) return problem(422, 'Validation Failed');
    const phrase = found.toLowerCase();
    const quoting = Array.from({ length: this.quotes }, (_, at) => ({
      number: 9_000 + at,
      body: `See ${phrase}, please`,
      html_url: `https://github.com/acme/incidents/issues/${9_000 + at}`,
    }));
    const known = this.issues.filter(
      ({ body, indexedAt }) => body.toLowerCase().includes(phrase) && indexedAt <= Date.now(),
    );
    const oldestFirst = query.get('sort') !== 'created' || query.get('order') !== 'desc';
    const listed = known.map(shown);
    const all = [...quoting, ...(oldestFirst ? listed : listed.toReversed())];
    const size = Number(query.get('per_page') ?? 30);
    const end = size * Number(query.get('page') ?? 1);
    const items = all.slice(end - size, end);
    return { status: 200, json: { total_count: all.length, incomplete_results: !this.isSearchWhole, items } };
  }
}

function shown(issue: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(issue).filter(([name]) => name !== 'indexedAt'));
}

function problem(status: number, message: string, headers: Record<string, string> = {}): PlatformAnswer {
  return { status, headers, json: { message, documentation_url: 'https://docs.github.com/rest' } };
}

function invalid(field: string, code: string, message?: string): PlatformAnswer {
  const error = { resource: 'Issue', field, code, ...(message !== undefined && { message }) };
  return { status: 422, json: { message: 'Validation Failed', errors: [error] } };
}

function ground(
  newAdapter = (): GithubIssuesAdapter => new GithubIssuesAdapter(),
): ItsmAdapterGround<Settings, Secrets> {
  const github = new GithubDouble();
  const issue = { number: 7, html_url: 'https://github.com/acme/incidents/issues/7' };
  const repository = { full_name: 'acme/incidents' };
  return {
    newAdapter,
    settings,
    secrets,
    http: github.http,
    creates: ({ method, url }) => method === 'POST' && new URL(url).pathname === '/repos/acme/incidents/issues',
    shows: 'markdown',
    limits: { title: 256, description: 65_536 },
    severity: {
      in: sent => (Array.isArray(sent['labels']) ? sent['labels'].at(-1) : undefined),
      expected: { critical: 'critical', high: 'high', medium: 'medium', low: 'low' },
    },
    fieldRefusal: { answer: invalid('title', 'custom', 'title is too long'), field: 'title' },
    foundWithinMs: SEARCH_LAG_MS + 20,
    status: {
      move: ({ platformId }, state) => {
        const moved = github.issues.find(({ number }) => String(number) === platformId);
        if (moved) Object.assign(moved, { state: state === 'open' ? 'open' : 'closed', state_reason: state });
      },
      expected: { open: 'open', completed: 'resolved', not_planned: 'closed', duplicate: 'closed' },
    },
    // A transferred issue is a new one in another repository, and the name of the repository is a setting.
    rename: 'none',
    paginate: () => void (github.quotes = 5),
    inbound: [
      {
        body: { action: 'closed', issue: { ...issue, state: 'closed', state_reason: 'completed' }, repository },
        update: { externalTicketId: 'acme/incidents#7', status: 'resolved', resolution: 'completed' },
      },
      {
        body: { action: 'reopened', issue: { ...issue, state: 'open', state_reason: 'reopened' }, repository },
        update: { externalTicketId: 'acme/incidents#7', status: 'open' },
      },
    ],
  };
}

describe('GitHub Issues keeps the contract', () => {
  for (const { title, run } of itsmAdapterContract(() => ground())) it(title, run);
});

describe('GitHub Issues', () => {
  const adapter = new GithubIssuesAdapter();
  const draft: TicketDraft = {
    key: '0d7c1c1e-6f0e-4c55-9f3f-6f2f6cf3a001',
    title: '[Chat] policy_violation: an address',
    severity: 'high',
    labels: ['chat', 'ai-policy', 'high'],
    payload: { text: 'Reference: nothing\n```' },
    link: 'https://governance.example/incidents/1',
  };

  function start(): { github: GithubDouble; context: AdapterContext<Settings, Secrets> } {
    const github = new GithubDouble();
    return { github, context: { settings, secrets, http: github.http, clock: new SystemClock() } };
  }

  async function created(answer: PlatformAnswer): Promise<CreateOutcome> {
    const { github, context } = start();
    github.instead = answer;
    return adapter.create(context, adapter.render(draft));
  }

  it('waits for rate limits that GitHub reports with 403', async () => {
    const secondary = problem(403, 'You have exceeded a secondary rate limit.', { 'retry-after': '42' });
    expect(await created(secondary)).toMatchObject({ kind: 'retryable', retryAfterMs: 42_000 });
    const unsaid = problem(403, 'You have exceeded a secondary rate limit.');
    expect(await created(unsaid)).toMatchObject({ kind: 'retryable', retryAfterMs: 60_000 });
    const reset = String(Math.ceil(Date.now() / 1000) + 600);
    const primary = problem(403, 'Forbidden', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
    const outcome = await created(primary);
    expect(outcome).toMatchObject({ kind: 'retryable' });
    expect(Math.round((('retryAfterMs' in outcome && outcome.retryAfterMs) || 0) / 10_000)).toBe(60);
    expect(await created(problem(403, 'Resource not accessible'))).toMatchObject({
      kind: 'rejected',
      code: 'forbidden',
    });
  });

  it('says what to do if the repository does not exist or has issues disabled', async () => {
    expect(await created(problem(404, 'Not Found'))).toMatchObject({ kind: 'rejected', code: 'config' });
    const { github, context } = start();
    github.repository['has_issues'] = false;
    const outcome = await adapter.create(context, adapter.render(draft));
    expect(outcome).toEqual({ kind: 'rejected', code: 'config', message: 'Switch on the issues of the repository.' });
    expect((await adapter.verify(context)).map(({ status }) => status)).toEqual(['failed']);
  });

  it('names the labels that GitHub has dropped from an issue', async () => {
    const { github, context } = start();
    github.mayPush = false;
    const outcome = await adapter.create(context, adapter.render(draft));
    expect(outcome).toMatchObject({ kind: 'created', degraded: ['GitHub has not set all labels.'] });
    expect((await adapter.verify(context)).map(({ status }) => status)).toEqual(['warning']);
  });

  it("truncates a label to GitHub's limit", async () => {
    const { context } = start();
    const ticket = adapter.render({ ...draft, labels: ['a'.repeat(80), 'ai-policy', 'high'] });
    expect(await adapter.create(context, ticket)).toMatchObject({ kind: 'created' });
  });

  it.each([
    ['between two characters', 'x'],
    ['within a character', ''],
  ])('truncates a label between two characters if the limit falls %s', async (_where, pad) => {
    const { context } = start();
    const ticket = adapter.render({ ...draft, labels: [pad + '🦊'.repeat(40), 'ai-policy', 'high'] });
    expect(ticket.labels[0]).toBe(`${pad}${'🦊'.repeat(24)}…`);
    expect(await adapter.create(context, ticket)).toMatchObject({ kind: 'created' });
  });

  it('is tested with a double that refuses half a surrogate pair', async () => {
    for (const part of ['title', 'body', 'labels']) {
      const { github, context } = start();
      const ticket = adapter.render(draft);
      const half = part === 'labels' ? ['\ud83d'] : '\ud83d';
      const outcome = await adapter.create(context, { ...ticket, body: { ...ticket.body, [part]: half } });
      expect(outcome).toMatchObject({ kind: 'rejected' });
      expect(github.issues).toHaveLength(0);
    }
  });

  it('finds an issue by a separate line in its text, and does not treat an incomplete search as an answer', async () => {
    const { github, context } = start();
    await adapter.create(context, adapter.render(draft));
    expect(await adapter.findByKey(context, draft.key)).toEqual([]);
    github.isSearchWhole = false;
    await expect(adapter.findByKey(context, draft.key)).rejects.toThrow('did not search to the end');
    await new Promise(resolve => setTimeout(resolve, SEARCH_LAG_MS + 20));
    const found = { externalTicketId: 'acme/incidents#1', platformId: '1' };
    expect(await adapter.findByKey(context, draft.key)).toMatchObject([found]);
  });

  it('reports a deleted issue as deleted, and a forbidden issue as unknown', async () => {
    const { github, context } = start();
    await adapter.create(context, adapter.render(draft));
    Object.assign(github.issues[0] ?? {}, { state: 'deleted' });
    expect(await adapter.status(context, { externalTicketId: 'acme/incidents#1', platformId: '1' })).toBeNull();
    await expect(adapter.status(context, { externalTicketId: 'acme/incidents#2', platformId: '2' })).rejects.toThrow(
      '404',
    );
  });

  it('registers as the guide says', () => {
    expect(governanceWithGithubIssues).toBeInstanceOf(Function);
  });
});

type Context = AdapterContext<Settings, Secrets>;

class TakesAFailureForARefusal extends GithubIssuesAdapter {
  override async create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    const outcome = await super.create(context, ticket);
    return outcome.kind === 'uncertain' ? { kind: 'rejected', code: 'config', message: 'It failed.' } : outcome;
  }
}

class TriesAgainWhereTheAnswerWasLost extends GithubIssuesAdapter {
  override create(context: Context, ticket: RenderedTicket): Promise<CreateOutcome> {
    return super.create(context, ticket).catch(() => super.create(context, ticket));
  }
}

class TakesAnErrorForNothing extends GithubIssuesAdapter {
  override findByKey(context: Context, key: string): Promise<TicketRef[]> {
    return super.findByKey(context, key).catch(() => []);
  }
}

class BelievesTheSearch extends GithubIssuesAdapter {
  override async findByKey(context: Context, key: string): Promise<TicketRef[]> {
    const q = encodeURIComponent(`"${key}" in:body repo:acme/incidents is:issue`);
    const headers = {
      authorization: `Bearer ${context.secrets.token}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    };
    const url = `https://api.github.com/search/issues?q=${q}`;
    const answer = asObject((await context.http.request({ method: 'GET', url, headers })).json());
    const items = Array.isArray(answer?.['items']) ? answer['items'].map(asObject) : [];
    return items.map(issue => ({ externalTicketId: asText(issue?.['html_url']) ?? '' }));
  }
}

class CutsByHalves extends GithubIssuesAdapter {
  override render(draft: TicketDraft): RenderedTicket {
    const ticket = super.render(draft);
    const title = draft.title.slice(0, 256);
    return { ...ticket, title, body: { ...ticket.body, title } };
  }
}

class KnowsOneSeverity extends GithubIssuesAdapter {
  override render(draft: TicketDraft): RenderedTicket {
    return super.render({ ...draft, labels: draft.labels.map(label => (label === 'low' ? 'medium' : label)) });
  }
}

class TellsItsToken extends GithubIssuesAdapter {
  override verify({ secrets: { token } }: Context): Promise<Check[]> {
    return Promise.resolve([{ name: 'Token', status: 'passed', message: `It is ${token}.` }]);
  }
}

describe('The contract catches an adapter that', () => {
  it.each([
    [
      'treats a failed create as refused',
      TakesAFailureForARefusal,
      'returns uncertain if the platform fails during a create',
    ],
    [
      'retries a create by itself',
      TriesAgainWhereTheAnswerWasLost,
      'returns uncertain if the answer to a create is lost',
    ],
    ['treats an error as an empty list', TakesAnErrorForNothing, 'throws if the platform does not answer a search'],
    ['trusts every search result', BelievesTheSearch, 'finds by key the ticket that it created, and no other'],
    [
      'neither truncates texts nor replaces line breaks',
      CutsByHalves,
      'replaces line breaks, invisible and direction characters',
    ],
    ['maps two severities to one', KnowsOneSeverity, 'maps the four severities'],
    ['shows its token in URLs', TellsItsToken, 'shows its secrets in no URL'],
  ])('%s', async (_, Broken, broken) => {
    const failed: string[] = [];
    for (const { title, run } of itsmAdapterContract(() => ground(() => new Broken()))) {
      await run().catch(() => failed.push(title));
    }
    expect(failed).toContainEqual(expect.stringContaining(broken));
  });
});
