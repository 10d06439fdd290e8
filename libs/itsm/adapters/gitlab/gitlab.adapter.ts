import { Injectable } from '@nestjs/common';
import { defined, type JsonObject, type Severity } from '#core';
import { ApiAdapter, type Finding, type Look } from '../../adapter/api-adapter.js';
import type { ChangePart, FoundTicket } from '../../adapter/change-ticket.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import { deliveryId, hasSecret, headerOf, isStandardSigned, type InboundReport } from '../../adapter/inbound-report.js';
import type { AdapterCapabilities } from '../../adapter/itsm-adapter.port.js';
import { describeInMarkdown, markdownText } from '../../adapter/markup.js';
import { readPages } from '../../adapter/platform-api.js';
import { asId, asObject, asText, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import type { UpdateOutcome } from '../../adapter/ticket-change.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { labelsOf, missingLabels, titleOf } from '../../adapter/ticket-text.js';
import { apiOf, SECRETS, SETTINGS, type Context, type Secrets, type Settings } from './gitlab-api.js';
import { keyWord, labelsIn, lookAtFields, NAMES, refOf, severityLabels, stateOf } from './gitlab-issue.js';

/**
 * Maximum length of the description, in characters. GitLab allows more. But it does not index a description with too
 * many words (`PgFullTextSearchable` in its source), and the issue could never be found.
 */
const DESCRIPTION_MAX = 100_000;

/** Number of the role Planner, the lowest role that may set labels (https://docs.gitlab.com/api/access_requests/). */
const PLANNER = 15;
const MONTH_MS = 30 * 86_400_000;

const MOVED = 'People moved the issue to another project, where it is not changed any more.';

/** Reads more notes than people write in the minutes between two attempts. */
const NEWEST_NOTES = { sort: 'desc', order_by: 'created_at', per_page: '100' };

/** Issues of a GitLab project, by the REST API, version 4 (https://docs.gitlab.com/api/issues/). */
@Injectable()
export class GitLabAdapter extends ApiAdapter<Settings, Secrets> {
  readonly kind = 'gitlab';
  readonly title = 'GitLab';
  readonly settingsSchema = SETTINGS;
  readonly secretsSchema = SECRETS;
  /** GitLab updates its search index some time after it has created an issue. */
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };

  override origins({ instance_url }: Settings): readonly string[] {
    return [new URL(instance_url).origin];
  }

  override render(draft: TicketDraft, settings: Settings): RenderedTicket {
    const title = titleOf(draft, NAMES.max);
    const labels = [...new Set([...labelsOf(draft, NAMES), ...severityLabels(draft.severity, settings)])];
    const description = describeInMarkdown(draft, DESCRIPTION_MAX, `Reference: ${keyWord(draft.key)}`);
    const confidential = settings.visibility !== 'members';
    return { title, description, labels, body: { ...settings.fields, title, description, labels, confidential } };
  }

  override create(context: Context, { body, labels }: RenderedTicket): Promise<CreateOutcome> {
    const remedy = 'give the account the role Reporter.';
    return apiOf(context).create('/issues', { json: body }, 201, refOf, issue =>
      missingLabels(labels, labelsIn(issue['labels']), remedy),
    );
  }

  /** Parses GitLab's webhooks for issues: https://docs.gitlab.com/user/project/integrations/webhook_events/ */
  override mapInbound(body: JsonObject, report: InboundReport): InboundUpdate | null {
    const isOfIssue = body['object_kind'] === 'issue' || body['object_kind'] === 'work_item';
    const issue = asObject(isOfIssue ? body['object_attributes'] : null) ?? {};
    const project = asText(asObject(body['project'])?.['path_with_namespace']);
    const { id = null, iid = null } = issue;
    const ref = refOf({ id, iid, references: { full: `${project}#${asId(iid)}` } });
    const state = stateOf(issue, labelsIn(body['labels'] ?? issue['labels']));
    if (project === undefined || !ref || !state) return null;
    const { email, username } = asObject(body['user']) ?? {};
    // GitLab sends this text if the user's address is not public.
    const updatedBy = email === '[REDACTED]' ? asText(username) : (asText(email) ?? asText(username));
    const eventId = deliveryId('gitlab', headerOf(report, 'idempotency-key'));
    return { ...ref, ...state, ...defined({ updatedBy }), ...eventId };
  }

  /**
   * Accepts a signature made with a signing token (`whsec_…`). For unsigned reports, accepts the secret token in a
   * header.
   */
  override isSigned(report: InboundReport, secret: string): boolean {
    if (headerOf(report, 'webhook-signature') !== '') return isStandardSigned(report, secret);
    return hasSecret(report, secret, 'x-gitlab-token');
  }

  protected override looks(context: Context): readonly Look[] {
    const [api, { settings }] = [apiOf(context), context];
    let project: JsonObject = {};
    const read = async (): Promise<JsonObject> => (project = api.objectIn(await api.ask(''), 'path_with_namespace'));
    return [
      ['The access token may create issues', () => lookAtToken(context)],
      ['The project takes issues', async () => lookAtProject(await read())],
      ['The account may set labels', () => lookAtRole(project)],
      ['Only members see the issues', () => lookAtVisibility(project, settings)],
      ['GitLab knows the further fields', () => lookAtFields(settings)],
    ];
  }

  protected override async search(context: Context, key: string): Promise<TicketRef[]> {
    const [api, search] = [apiOf(context), keyWord(key)];
    const query = { scope: 'all', search, in: 'description', per_page: '100' };
    const all = await readPages<JsonObject, string>(async (page = '1') => {
      const answer = await api.ask('/issues', { query: { ...query, page } });
      return { items: api.listIn(answer), next: asText(answer.headers['x-next-page']) };
    });
    // The search also finds issues with words that only begin with the key.
    const found = all.filter(issue => asText(issue['description'])?.split(/\W/).includes(search));
    return found.toSorted((a, b) => Number(b['id']) - Number(a['id'])).flatMap(each => refOf(each) ?? []);
  }

  /**
   * Reads an issue by its number in the project. Null if the issue does not exist, or if the number belongs to another
   * issue.
   */
  protected override async read(context: Context, ref: TicketRef): Promise<FoundTicket | null> {
    const iid = /#(\d+)$/.exec(ref.externalTicketId)?.[1];
    if (iid === undefined) throw new PlatformAnswerError('The number of the issue in its project is unknown.');
    const [api, path] = [apiOf(context), `/issues/${iid}`];
    const answer = await api.ask(path);
    const said = asText(objectIn(answer)?.['message']) ?? '';
    if (answer.status === 404 && /^404 (issue )?not found$/i.test(said)) return null;
    const issue = api.objectIn(answer);
    const [state, labels] = [stateOf(issue), labelsIn(issue['labels'])];
    if (state && ref.platformId !== undefined && asId(issue['id']) !== ref.platformId) return null;
    return {
      ...{ state, ref: refOf(issue), untouchable: state?.resolution === 'Moved' ? MOVED : undefined, isInSteps: true },
      hasPriority: severity => severityLabels(severity, context.settings).every(label => labels.includes(label)),
      hasText: key => api.mentions(key, `${path}/notes`, { query: NEWEST_NOTES }),
      write: part => write(context, path, part),
    };
  }
}

async function lookAtToken(context: Context): Promise<Finding> {
  const api = apiOf(context, '');
  const answer = await api.ask('/personal_access_tokens/self');
  // GitLab before 15.5 does not have this endpoint. For it, the request for the project shows whether the token is
  // valid.
  if (answer.status === 404 && objectIn(answer)?.['error'] === '404 Not Found') return undefined;
  const { scopes, expires_at: ends } = api.objectIn(answer, 'scopes');
  if (!Array.isArray(scopes) || !scopes.includes('api')) {
    return { failed: 'It lacks the scope api: create a token that has it.' };
  }
  const end = asText(ends);
  if (end === undefined) return 'It has the scope api.';
  const message = `It has the scope api, and expires on ${end}.`;
  return Date.parse(end) - context.clock.now().getTime() < MONTH_MS ? { warning: message } : message;
}

function lookAtProject({ archived, issues_access_level: issues, path_with_namespace: path }: JsonObject): Finding {
  if (archived === true) return { failed: 'It is archived: restore it.' };
  return issues === 'disabled' ? { failed: 'Issues are disabled in its settings.' } : asText(path);
}

function lookAtRole({ permissions }: JsonObject): Finding {
  const given = asObject(permissions);
  const roles = [given?.['project_access'], given?.['group_access']].map(each => asObject(each)?.['access_level'] ?? 0);
  const isGuest = given !== undefined && Math.max(...roles.map(Number)) < PLANNER;
  const warning = 'A guest’s labels are left out: give the account the role Reporter.';
  return isGuest ? { warning } : 'Its role allows it, or is not shown.';
}

function lookAtVisibility({ visibility: given }: JsonObject, { visibility }: Settings): Finding {
  const isOpen = visibility === 'members' && given !== 'private';
  const warning = `The project is ${asText(given)}: set the visibility confidential.`;
  return isOpen && asText(given) !== undefined ? { warning } : 'By the visibility of the connector and of the project.';
}

async function write(context: Context, path: string, part: ChangePart): Promise<UpdateOutcome> {
  const [api, { text, to, severity, severityBefore }] = [apiOf(context), part];
  if (text !== undefined) {
    const answer = await api.ask(`${path}/notes`, { json: { body: markdownText(text) } });
    return api.changed(answer, 201, note => (asId(note['id']) === undefined ? undefined : true));
  }
  const labelsFor = (each?: Severity): string[] => (each ? severityLabels(each, context.settings) : []);
  const [add_labels, remove_labels] = [labelsFor(severity), labelsFor(severityBefore)];
  const json: JsonObject = to ? { state_event: to === 'open' ? 'reopen' : 'close' } : { add_labels, remove_labels };
  const isMade = (issue: JsonObject): boolean | undefined => {
    const [state, labels] = [stateOf(issue), labelsIn(issue['labels'])];
    if (!state) return undefined;
    return to ? (state.status === 'open') === (to === 'open') : add_labels.every(each => labels.includes(each));
  };
  return api.changed(await api.ask(path, { method: 'PUT', json }), 200, isMade, to);
}
