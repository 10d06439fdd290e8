import { Injectable } from '@nestjs/common';
import type { JsonObject } from '#core';
import type { AdapterResponse } from '../../adapter/adapter-http.js';
import { ApiAdapter, type Finding, type Look } from '../../adapter/api-adapter.js';
import type { ChangePart, FoundTicket } from '../../adapter/change-ticket.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import type { AdapterCapabilities } from '../../adapter/itsm-adapter.port.js';
import { describeInHtml, htmlText } from '../../adapter/markup.js';
import { asObject, asText, retryAfterMs } from '../../adapter/platform-answer.js';
import type { UpdateOutcome } from '../../adapter/ticket-change.js';
import { SAMPLE_DRAFT, type RenderedTicket, type TicketDraft } from '../../adapter/ticket-draft.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { describeDraft, labelsOf, titleOf } from '../../adapter/ticket-text.js';
import { apiOf, FIELD, isMissing, PATCH, pathOf, SECRETS, SETTINGS } from './boards-api.js';
import type { Context, Secrets, Settings } from './boards-api.js';
import { keyTag, patchOf, priorityOf, refOf, stateOf, workflowOf, type Workflow } from './work-item.js';

/** Maximum length of title and description, in characters. The platform allows a million in a description. */
const LIMITS = { title: 255, description: 32_000 } as const;

/** Commas and semicolons are not allowed in tags, because they separate tags. */
const TAGS = { max: 400, not: /[,;]/g };

const READ = [FIELD.project, FIELD.type, FIELD.state, FIELD.reason, FIELD.changedBy, FIELD.changedAt, FIELD.priority];

/** Reads more comments than people write in the minutes between two attempts. The comments API is a preview version. */
const NEWEST_COMMENTS = { $top: '200', order: 'desc', 'api-version': '7.1-preview.4' };

/** Categories of the states to which a work item is moved, in order of preference. */
const TARGETS = { resolved: ['Resolved', 'Completed'], open: ['InProgress', 'Proposed'] } as const;

/**
 * Categories of the default states of the standard processes. They are needed for webhooks, which do not contain the
 * categories.
 */
const KNOWN: Workflow = new Map(
  Object.entries({
    ...{ New: 'Proposed', Proposed: 'Proposed', Approved: 'Proposed', 'To Do': 'Proposed' },
    ...{ Active: 'InProgress', Doing: 'InProgress', 'In Progress': 'InProgress', Committed: 'InProgress' },
    ...{ Open: 'InProgress', Resolved: 'Resolved', Closed: 'Completed', Done: 'Completed', Removed: 'Removed' },
  }),
);

/**
 * Work items in Azure DevOps Services and Server, by REST API 7.1
 * (https://learn.microsoft.com/rest/api/azure/devops/wit/?view=azure-devops-rest-7.1). A query may not find a new work
 * item for a moment, so searches are eventual.
 */
@Injectable()
export class AzureDevOpsAdapter extends ApiAdapter<Settings, Secrets> {
  readonly kind = 'azure_devops';
  readonly title = 'Azure DevOps';
  readonly settingsSchema = SETTINGS;
  readonly secretsSchema = SECRETS;
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };

  override origins({ organization_url }: Settings): readonly string[] {
    return [new URL(organization_url).origin];
  }

  /** Only status 200 is a success, because the sign-in page has status 203. */
  override isSuccess({ status }: AdapterResponse): boolean {
    return status === 200;
  }

  override render(draft: TicketDraft, settings: Settings): RenderedTicket<JsonObject[]> {
    const [title, description] = [titleOf(draft, LIMITS.title, '…'), describeDraft(draft, LIMITS.description)];
    const labels = labelsOf(draft, TAGS);
    const body = patchOf({
      ...settings.fields,
      [FIELD.title]: title,
      [FIELD.description]: describeInHtml(description),
      [FIELD.tags]: [...labels, keyTag(draft.key)].join('; '),
      [FIELD.priority]: priorityOf(draft.severity, settings),
    });
    return { title, description, labels, body };
  }

  override create(context: Context, { body }: RenderedTicket<JsonObject[]>): Promise<CreateOutcome> {
    const [path, request] = creationOf(context, body);
    return apiOf(context).create(path, request, 200, item => refOf(item, context.settings));
  }

  /** Parses a service hook: a work item was created or updated. */
  override mapInbound(body: JsonObject): InboundUpdate | null {
    if (!/^workitem\.(created|updated)$/.test(asText(body['eventType']) ?? '')) return null;
    const resource = asObject(body['resource']) ?? {};
    const { id, rev, fields } = asObject(resource['revision']) ?? resource;
    // The categories of custom states are unknown here, so reports of them are ignored.
    const state = stateOf(asObject(fields) ?? {}, KNOWN);
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || !state) return null;
    const event = typeof rev === 'number' ? { eventId: `azure-devops:${id}:${rev}` } : {};
    return { externalTicketId: String(id), ...state, ...event };
  }

  /** The last step of the test lets the platform validate a work item without saving it. */
  protected override looks(context: Context): readonly Look[] {
    const [api, { settings, clock }] = [apiOf(context), context];
    const { project, work_item_type: type } = settings;
    let states: Workflow | undefined;
    const describe = async (): Promise<Finding> => {
      states = await workflowOf(context, project, type);
      if (!states) return { failed: `The project has no work item type “${type}”.` };
      return `${type}: ${[...states.keys()].join(', ')}.`;
    };
    const validate = async (): Promise<Finding> => {
      const [path, request] = creationOf(context, this.render(SAMPLE_DRAFT, settings).body);
      const answer = await api.ask(path, { ...request, query: { validateOnly: 'true' } });
      api.objectIn(answer);
      const wait = retryAfterMs(answer, clock);
      if (wait === undefined) return 'Azure DevOps validated a work item, and saved none.';
      // Above the rate limit, Azure DevOps still answers requests, but delays them and sends `Retry-After`.
      return { warning: `It does, but delays this account’s requests, and asks to wait ${wait / 1_000} seconds.` };
    };
    return [
      ['The project and the work item type exist', describe],
      ['Work items can be resolved', () => lookAtStates([...(states ?? []).values()])],
      ['The process accepts the fields', validate],
    ];
  }

  protected override async search(context: Context, key: string): Promise<TicketRef[]> {
    const api = apiOf(context);
    const query = `SELECT [System.Id] FROM WorkItems WHERE [System.Tags] CONTAINS '${keyTag(key)}'`;
    const found = api.listIn(await api.ask(pathOf('wiql'), { query: { $top: '50' }, json: { query } }), 'workItems');
    // The query's answer contains only ids, so the work items are read in a second request.
    const ids = found.map(item => refOf(item, context.settings)?.externalTicketId ?? '').join();
    if (ids === '') return [];
    const read = await api.ask(pathOf('workitems'), { query: { ids, fields: FIELD.tags } });
    const items = api.listIn(read, 'value').filter(({ fields }) => hasTag(asObject(fields) ?? {}, keyTag(key)));
    const newest = items.toSorted((a, b) => Number(b['id']) - Number(a['id']));
    return newest.flatMap(item => refOf(item, context.settings) ?? []);
  }

  protected override async read(context: Context, { externalTicketId }: TicketRef): Promise<FoundTicket | null> {
    const api = apiOf(context);
    const path = `workitems/${encodeURIComponent(externalTicketId)}`;
    const answer = await api.ask(pathOf(path), { query: { fields: READ.join() } });
    if (isMissing(answer, 'TF401232')) return null;
    const { rev, fields: given } = api.objectIn(answer, 'fields');
    const fields = asObject(given) ?? {};
    const [project, type] = [asText(fields[FIELD.project]), asText(fields[FIELD.type])];
    if (typeof rev !== 'number' || project === undefined || type === undefined) throw api.error(answer);
    const workflow = (await workflowOf(context, project, type)) ?? new Map<string, string>();
    const isRemoved = workflow.get(asText(fields[FIELD.state]) ?? '') === 'Removed';
    return {
      state: stateOf(fields, workflow),
      declined: isRemoved ? 'People removed the work item, so it is not reopened.' : undefined,
      hasPriority: severity => fields[FIELD.priority] === priorityOf(severity, context.settings),
      hasText: key => api.mentions(key, `${pathOf(path, project)}/comments`, { query: NEWEST_COMMENTS }, 'comments'),
      write: part => write(context, { path: pathOf(path), rev, workflow }, part),
    };
  }
}

/** Builds the request that creates a work item. Work items of type Bug have another field for the description. */
function creationOf({ settings: { project, work_item_type: type } }: Context, patch: readonly JsonObject[]) {
  const [plain, steps] = [`/fields/${FIELD.description}`, `/fields/${FIELD.steps}`];
  const isMoved = ({ path }: JsonObject): boolean => path === plain && type.toLowerCase() === 'bug';
  const json = patch.map(each => (isMoved(each) ? { op: 'add', path: steps, value: each['value'] ?? null } : each));
  return [pathOf(`workitems/$${encodeURIComponent(type)}`, project), { headers: PATCH, json }] as const;
}

function lookAtStates(categories: readonly string[]): Finding {
  const canResolve = TARGETS.resolved.some(category => categories.includes(category));
  const warning = 'The type has no state of the category Resolved or Completed.';
  return canResolve ? 'The type has a state for it.' : { warning };
}

function hasTag({ [FIELD.tags]: tags }: JsonObject, tag: string): boolean {
  return (asText(tags) ?? '').split(';').some(each => each.trim().toLowerCase() === tag.toLowerCase());
}

/** A work item that was read from the platform. */
type ReadItem = { readonly path: string; readonly rev: number; readonly workflow: Workflow };

/** One request changes text and state, so that the change is atomic. */
async function write(context: Context, item: ReadItem, { text, to, severity }: ChangePart): Promise<UpdateOutcome> {
  if (severity) return send(context, item, { [FIELD.priority]: priorityOf(severity, context.settings) });
  const said = { [FIELD.history]: htmlText(text ?? '') };
  if (!to) return send(context, item, said);
  const states = [...item.workflow];
  for (const [name] of TARGETS[to].flatMap(target => states.filter(([, category]) => category === target))) {
    const outcome = await send(context, item, { ...said, [FIELD.state]: name });
    // A rule of the process may forbid this state only. Nothing was changed, so the next state is tried.
    if (!(outcome.kind === 'refused' && outcome.code === 'field')) return outcome;
  }
  const outcome = await send(context, item, said);
  const message = 'The rules of the process let the account bring the work item to no fitting state.';
  return outcome.kind === 'updated' ? { kind: 'refused', code: 'config', message } : outcome;
}

/** The update fails if somebody has changed the work item since it was read. */
async function send(context: Context, { path, rev, workflow }: ReadItem, fields: JsonObject): Promise<UpdateOutcome> {
  const json = [{ op: 'test', path: '/rev', value: rev }, ...patchOf(fields)];
  const answer = await apiOf(context).ask(path, { method: 'PATCH', headers: PATCH, json });
  if (isMissing(answer, 'TF401232')) return { kind: 'gone', message: 'Azure DevOps does not show the work item.' };
  if (answer.status === 409 || answer.status === 412) {
    return { kind: 'retryable', message: 'Somebody else changed the work item at the same moment.' };
  }
  const isKept = ({ fields: now }: JsonObject): boolean | undefined => {
    const after = asObject(now);
    return after && Object.entries(fields).every(([name, value]) => name === FIELD.history || after[name] === value);
  };
  return apiOf(context).changed(answer, 200, isKept, stateOf(fields, workflow)?.status);
}
