import type { JsonObject } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { TicketStatus } from '../../adapter/ticket-state.js';
import { askBoards, isMissing, outcomeOfTrouble, readFailure, readList } from './boards-api.js';
import { FIELD, type Context } from './connector.js';
import { patchOf, priorityOf, toHtml } from './work-item.js';
import { declines, stateOf, workflowOf, type Workflow } from './workflow.js';

/** A work item as it was read. */
export interface ReadItem {
  readonly path: string;
  readonly rev: number;
  readonly project: string;
  readonly fields: JsonObject;
  readonly workflow: Workflow;
}

const READ = [FIELD.project, FIELD.type, FIELD.state, FIELD.reason, FIELD.changedBy, FIELD.changedAt, FIELD.priority];

/** Categories of the states to choose from, the best first. */
const TARGETS = { resolve: ['Resolved', 'Completed'], reopen: ['InProgress', 'Proposed'] } as const;

const GONE = 'Azure DevOps does not show the work item: it was deleted, or the account may not see it.';

/** Undefined where the platform says that there is none. @throws PlatformAnswerError, AdapterHttpError */
export async function readItem(context: Context, { externalTicketId }: TicketRef): Promise<ReadItem | undefined> {
  const path = `workitems/${encodeURIComponent(externalTicketId)}`;
  const answer = await askBoards(context, { path, query: { fields: READ.join() } });
  if (isMissing(answer, 'TF401232')) return undefined;
  const { rev, fields: given } = (answer.status === 200 && objectIn(answer)) || {};
  const fields = asObject(given) ?? {};
  const [project, type] = [asText(fields[FIELD.project]), asText(fields[FIELD.type])];
  if (typeof rev !== 'number' || project === undefined || type === undefined) throw readFailure(answer, context.clock);
  return { path, rev, project, fields, workflow: await workflowOf(context, project, type) };
}

/**
 * Makes one change of a work item. Text and state are one request, so both arrive or neither does, and only if nobody has
 * changed the work item since it was read.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function updateWorkItem(context: Context, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
  const item = await readItem(context, ref);
  if (!item) return { kind: 'gone', message: GONE };
  const { fields, workflow, project, path } = item;
  const { kind } = change;
  if (kind === 'priority') return raise(context, item, change);
  const status = stateOf(fields, workflow)?.status;
  const isOver = status === 'resolved' || status === 'closed';
  if (kind === 'reopen' && isOver && declines(fields, workflow.get(asText(fields[FIELD.state]) ?? ''))) {
    const message = `People ended the work item with the reason “${asText(fields[FIELD.reason]) ?? 'Removed'}”, so it is not reopened.`;
    return { kind: 'refused', code: 'declined', message };
  }
  if (change.repeated) {
    const query = { $top: '200', order: 'desc' };
    const comments = await readList(context, 'comments', { project, path: `${path}/comments`, query });
    if (JSON.stringify(comments).includes(change.key)) return { kind: 'updated' };
  }
  const text = { [FIELD.history]: toHtml(change.text) };
  if (kind === 'comment' || isOver === (kind === 'resolve')) return write(context, item, text, status);
  const names = TARGETS[kind].flatMap(target => [...workflow].flatMap(([name, each]) => (each === target ? name : [])));
  for (const name of names) {
    const state = { [FIELD.state]: name };
    const outcome = await write(context, item, { ...text, ...state }, stateOf(state, workflow)?.status);
    // A rule of the process may exclude this state only; nothing was changed then.
    if (!(outcome.kind === 'refused' && outcome.code === 'field')) return outcome;
  }
  const outcome = await write(context, item, text, status);
  const message = 'The rules of the process let the account bring the work item to no fitting state.';
  return outcome.kind === 'updated' ? { kind: 'refused', code: 'config', message } : outcome;
}

/** A priority that is not the one that was last set is the choice of people. */
async function raise(context: Context, item: ReadItem, change: TicketChange): Promise<UpdateOutcome> {
  const to = priorityOf(change.severity, context.settings);
  const now = item.fields[FIELD.priority] ?? 'none';
  if (now === to) return { kind: 'updated' };
  if (now === priorityOf(change.severityBefore, context.settings))
    return write(context, item, { [FIELD.priority]: to });
  return { kind: 'updated', kept: `People set the priority ${JSON.stringify(now)}, so it was not raised.` };
}

async function write(
  context: Context,
  { path, rev }: ReadItem,
  fields: JsonObject,
  status?: TicketStatus,
): Promise<UpdateOutcome> {
  const json = [{ op: 'test', path: '/rev', value: rev }, ...patchOf(fields)];
  const answer = await askBoards(context, { path, method: 'PATCH', json });
  const after = answer.status === 200 ? asObject(objectIn(answer)?.['fields']) : undefined;
  if (after) {
    const isKept = Object.entries(fields).every(([name, value]) => name === FIELD.history || after[name] === value);
    if (isKept) return { kind: 'updated', ...(status && { status }) };
    const message = 'Azure DevOps took the change but left the fields as they were: a rule of the process prevents it.';
    return { kind: 'refused', code: 'config', message };
  }
  if (isMissing(answer, 'TF401232')) return { kind: 'gone', message: GONE };
  if (answer.status === 409 || answer.status === 412) {
    return { kind: 'retryable', message: 'Somebody else changed the work item at the same moment.' };
  }
  return outcomeOfChange(outcomeOfTrouble(answer, context.clock));
}
