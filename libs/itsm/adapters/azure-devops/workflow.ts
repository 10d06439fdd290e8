import type { Json, JsonObject } from '#core';
import { asObject, asText, PlatformAnswerError } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';
import type { InboundUpdate, TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { askBoards, isMissing, listIn } from './boards-api.js';
import { FIELD, type Context } from './connector.js';

/** Categories of the states of a type, in the order of the workflow. */
export type Workflow = ReadonlyMap<string, string>;

const TIMEOUT_MS = 5_000;

/** Basic is the one process without bugs. */
const DEFAULT_TYPES = ['Bug', 'Issue'];

/** https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories. */
const STATUSES: Readonly<Record<string, TicketStatus>> = {
  ...{ Proposed: 'open', InProgress: 'in_progress', Resolved: 'resolved', Completed: 'resolved', Removed: 'closed' },
};

/** The states that processes begin with: a report does not tell their categories. */
const KNOWN: Workflow = new Map(
  Object.entries({
    ...{ New: 'Proposed', Proposed: 'Proposed', Approved: 'Proposed', 'To Do': 'Proposed' },
    ...{ Active: 'InProgress', Doing: 'InProgress', 'In Progress': 'InProgress', Committed: 'InProgress' },
    ...{ Open: 'InProgress', Resolved: 'Resolved', Closed: 'Completed', Done: 'Completed', Removed: 'Removed' },
  }),
);

/** Reasons that end a work item without solving it. */
const UNSOLVED = /^(duplicate|cannot reproduce|obsolete|copied to backlog)$/i;

/** The type of a connector’s work items. @throws PlatformAnswerError, AdapterHttpError */
export async function typeOf(context: Context): Promise<string> {
  const { project, work_item_type } = context.settings;
  if (work_item_type !== undefined) return work_item_type;
  for (const type of DEFAULT_TYPES) if (await findWorkflow(context, project, type)) return type;
  throw new PlatformAnswerError('The project has neither Bug nor Issue: set a work item type.', { code: 'config' });
}

/** @throws PlatformAnswerError, AdapterHttpError */
export async function workflowOf(context: Context, project: string, type: string): Promise<Workflow> {
  const workflow = await findWorkflow(context, project, type);
  if (workflow) return workflow;
  throw new PlatformAnswerError(`The project has no work item type “${type}”.`, { code: 'config' });
}

async function findWorkflow(context: Context, project: string, type: string): Promise<Workflow | undefined> {
  const path = `workitemtypes/${encodeURIComponent(type)}/states`;
  const answer = await askBoards(context, { project, path, timeoutMs: TIMEOUT_MS });
  if (isMissing(answer, 'VS402323')) return undefined;
  const states = listIn(answer, 'value', context.clock);
  return new Map(states.map(({ name = '', category = '' }) => [asText(name) ?? '', asText(category) ?? '']));
}

/** Whether people decided against solving a work item: by its reason, or by removing it. */
export function declines({ [FIELD.reason]: reason }: JsonObject, category: string | undefined): boolean {
  return category === 'Removed' || isDeclined(asText(reason));
}

/** Where a work item stands; undefined where its fields and the workflow do not say. */
export function stateOf(fields: JsonObject, workflow: Workflow): TicketState | undefined {
  const category = workflow.get(asText(fields[FIELD.state]) ?? '') ?? '';
  const status = Object.hasOwn(STATUSES, category) ? STATUSES[category] : undefined;
  if (status === undefined) return undefined;
  const isOver = status === 'resolved' || status === 'closed';
  const resolution = isOver ? asText(fields[FIELD.reason]) : undefined;
  const [updatedBy, occurredAt] = [personIn(fields[FIELD.changedBy]), timeIn(fields[FIELD.changedAt])];
  return {
    status: isOver && (declines(fields, category) || UNSOLVED.test(resolution ?? '')) ? 'closed' : status,
    ...(resolution !== undefined && { resolution }),
    ...(updatedBy !== undefined && { updatedBy }),
    ...(occurredAt && { occurredAt }),
  };
}

/** A service hook that a work item was created or updated; null for anything else, and for states of one’s own. */
export function inboundOf(body: JsonObject): InboundUpdate | null {
  if (!/^workitem\.(created|updated)$/.test(asText(body['eventType']) ?? '')) return null;
  const resource = asObject(body['resource']) ?? {};
  const { id, rev, fields } = asObject(resource['revision']) ?? resource;
  const state = stateOf(asObject(fields) ?? {}, KNOWN);
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || !state) return null;
  const event = typeof rev === 'number' ? { eventId: `azure-devops:${id}:${rev}` } : {};
  return { externalTicketId: String(id), ...state, ...event };
}

/** `Ada Lovelace <ada@example.com>`, or an object with the address as its unique name. */
function personIn(value: Json | undefined): string | undefined {
  const { uniqueName, displayName } = asObject(value) ?? {};
  const text = asText(uniqueName) ?? asText(displayName) ?? asText(value);
  return /<([^<>\s]+)>$/.exec(text ?? '')?.[1] ?? text;
}

function timeIn(value: Json | undefined): Date | undefined {
  const time = new Date(asText(value) ?? NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
