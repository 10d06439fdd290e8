import { defined, SEVERITIES, type Json, type JsonObject, type Severity } from '#core';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { withoutSlash } from '../../adapter/platform-api.js';
import { asId, asMoment, asObject, asText } from '../../adapter/platform-answer.js';
import { isDeclined } from '../../adapter/ticket-change.js';
import type { TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { apiOf, FIELD, isMissing, pathOf, type Context, type Settings } from './boards-api.js';

/** The tag that marks the work item of a key. */
export function keyTag(key: string): string {
  return `ticket-${key}`;
}

export function priorityOf(severity: Severity, { priorities }: Settings): number {
  return Number(priorities?.[severity] ?? SEVERITIES.indexOf(severity) + 1);
}

/** The fields of a work item as a JSON Patch document. */
export function patchOf(fields: JsonObject): JsonObject[] {
  return Object.entries(fields).map(([name, value]) => ({ op: 'add', path: `/fields/${name}`, value }));
}

/** Reference to a work item by its id; undefined if the answer has no id. */
export function refOf({ id }: JsonObject, { organization_url, project }: Settings): TicketRef | undefined {
  const externalTicketId = typeof id === 'number' && id > 0 ? asId(id) : undefined;
  if (externalTicketId === undefined) return undefined;
  const pages = `${withoutSlash(organization_url)}/${encodeURIComponent(project)}`;
  return { externalTicketId, url: `${pages}/_workitems/edit/${externalTicketId}` };
}

/** State categories of a work item type, in the order of the workflow. */
export type Workflow = ReadonlyMap<string, string>;

/**
 * Reads the workflow of a work item type. Undefined if the project has no such type.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function workflowOf(context: Context, project: string, type: string): Promise<Workflow | undefined> {
  const api = apiOf(context);
  const path = pathOf(`workitemtypes/${encodeURIComponent(type)}/states`, project);
  const answer = await api.ask(path, { timeoutMs: 5_000 });
  if (isMissing(answer, 'VS402323')) return undefined;
  const states = api.listIn(answer, 'value');
  return new Map(states.map(({ name = '', category = '' }) => [asText(name) ?? '', asText(category) ?? '']));
}

/** https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories. */
const STATUSES = new Map<string, TicketStatus>([
  ['Proposed', 'open'],
  ['InProgress', 'in_progress'],
  ['Resolved', 'resolved'],
  ['Completed', 'resolved'],
  ['Removed', 'closed'],
]);

/** Reasons with which a work item is closed without a solution. */
const UNSOLVED = /^(duplicate|cannot reproduce|obsolete|copied to backlog)$/i;

/** State of a work item. Undefined if the state cannot be determined from its fields and the workflow. */
export function stateOf(fields: JsonObject, workflow: Workflow): TicketState | undefined {
  const status = STATUSES.get(workflow.get(asText(fields[FIELD.state]) ?? '') ?? '');
  if (status === undefined) return undefined;
  const isOver = status === 'resolved' || status === 'closed';
  const resolution = isOver ? asText(fields[FIELD.reason]) : undefined;
  const isUnsolved = isDeclined(resolution) || UNSOLVED.test(resolution ?? '');
  const [updatedBy, occurredAt] = [personIn(fields[FIELD.changedBy]), asMoment(fields[FIELD.changedAt])];
  return defined({ status: isUnsolved ? 'closed' : status, resolution, updatedBy, occurredAt });
}

/** Parses a user: `Ada Lovelace <ada@example.com>`, or an object with `uniqueName`. */
function personIn(value: Json | undefined): string | undefined {
  const { uniqueName, displayName } = asObject(value) ?? {};
  const text = asText(uniqueName) ?? asText(displayName) ?? asText(value);
  return /<([^<>\s]+)>$/.exec(text ?? '')?.[1] ?? text;
}
