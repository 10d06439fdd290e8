import { Injectable } from '@nestjs/common';
import { isUuid, type JsonObject } from '#core';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import type { InboundReport } from '../../adapter/inbound-report.js';
import { ItsmAdapter, type AdapterCapabilities, type Check } from '../../adapter/itsm-adapter.port.js';
import { asObject, asText, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate, TicketState } from '../../adapter/ticket-state.js';
import { checkConnector } from './gitlab-checks.js';
import { keyWord, labelsIn, refOf, renderIssue, stateOf } from './gitlab-issue.js';
import { askGitLab, readGitLab, troubleOf } from './gitlab-request.js';
import {
  GITLAB_SECRETS,
  GITLAB_SETTINGS,
  type GitLabContext,
  type GitLabSecrets,
  type GitLabSettings,
} from './gitlab-settings.js';
import { readIssue, updateIssue } from './gitlab-update.js';
import { inboundOf, isFromGitLab } from './gitlab-webhook.js';

const CREATE_TIMEOUT_MS = 15_000;

/** Pages of a search: far more than the issues of one key fill. */
const MAX_PAGES = 10;

/** Issues of a GitLab project, by the REST API, version 4 (https://docs.gitlab.com/api/issues/). */
@Injectable()
export class GitLabAdapter extends ItsmAdapter<GitLabSettings, GitLabSecrets> {
  readonly kind = 'gitlab';
  readonly title = 'GitLab';
  readonly settingsSchema = GITLAB_SETTINGS;
  readonly secretsSchema = GITLAB_SECRETS;
  /** The search index is written after the issue. */
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };

  override origins({ instance_url }: GitLabSettings): readonly string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, settings: GitLabSettings): RenderedTicket {
    return renderIssue(draft, settings);
  }

  override verify(context: GitLabContext): Promise<Check[]> {
    return checkConnector(context);
  }

  override async create(context: GitLabContext, { body, labels }: RenderedTicket): Promise<CreateOutcome> {
    const answer = await askGitLab(context, '/issues', { json: body, timeoutMs: CREATE_TIMEOUT_MS });
    const issue = answer.status === 201 ? objectIn(answer) : undefined;
    const ref = issue && refOf(issue);
    if (!issue || !ref) return troubleOf(answer, context.clock);
    const there = new Set(labelsIn(issue['labels']).map(label => label.toLowerCase()));
    const missing = labels.filter(label => !there.has(label.toLowerCase())).join(', ');
    if (missing === '') return { kind: 'created', ref };
    return { kind: 'created', ref, degraded: [`Without the labels ${missing}: give the account the role Reporter.`] };
  }

  override async findByKey(context: GitLabContext, key: string): Promise<TicketRef[]> {
    if (!isUuid(key)) return [];
    const word = keyWord(key);
    const found: JsonObject[] = [];
    for (let page = '1', read = 0; read < MAX_PAGES; read += 1) {
      const query = `scope=all&search=${word}&in=description&per_page=100&page=${page}`;
      const answer = await readGitLab(context, `/issues?${query}`);
      const list = answer.json();
      if (!Array.isArray(list)) throw new PlatformAnswerError('GitLab did not return a list of issues.');
      // Searches find words that begin so, too.
      const issues = list.map(asObject).filter(issue => issue !== undefined);
      found.push(...issues.filter(issue => asText(issue['description'])?.split(/\W/).includes(word)));
      page = answer.headers['x-next-page'] ?? '';
      if (page === '')
        return found.toSorted((a, b) => Number(b['id']) - Number(a['id'])).flatMap(each => refOf(each) ?? []);
    }
    throw new PlatformAnswerError(`GitLab’s search has more than ${MAX_PAGES} pages.`);
  }

  override async status(context: GitLabContext, ref: TicketRef): Promise<TicketState | null> {
    const issue = await readIssue(context, ref);
    const state = issue && stateOf(issue);
    const now = issue && refOf(issue);
    if (!state || !now || now.externalTicketId === ref.externalTicketId) return state ?? null;
    return { ...state, movedTo: now };
  }

  override update(context: GitLabContext, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return updateIssue(context, ref, change);
  }

  override mapInbound(body: JsonObject, report?: InboundReport): InboundUpdate | null {
    return inboundOf(body, report?.headers['idempotency-key']);
  }

  override isSigned(report: InboundReport, secret: string): boolean {
    return isFromGitLab(report, secret);
  }
}
