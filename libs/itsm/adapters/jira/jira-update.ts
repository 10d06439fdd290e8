import type { JsonObject } from '#core';
import type { ChangePart, FoundTicket } from '../../adapter/change-ticket.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { TicketState, TicketStatus } from '../../adapter/ticket-state.js';
import { refOf } from './find-issue.js';
import { priorityOf } from './jira-issue.js';
import { askJira, type JiraRequest } from './jira-request.js';
import { stateOf } from './jira-status.js';
import { isUnknownUser, JiraFailureError, saysMissing, failureOf, failureWithoutIssue } from './jira-failure.js';
import type { JiraSite } from './jira-site.js';
import { chooseTransition, type ChosenTransition } from './transitions.js';

/** Reads more comments than people write in the minutes between two attempts. */
const NEWEST_COMMENTS = { orderBy: '-created', maxResults: '100' };

/**
 * Reads an issue by its id, so that moved issues are found; null if Jira reports that it does not exist.
 * @param change the change for which the issue is read; its transition is chosen before anything is written
 * @throws JiraFailureError, AdapterHttpError
 */
export async function readIssue(site: JiraSite, ref: TicketRef, change?: TicketChange): Promise<FoundTicket | null> {
  const path = `/issue/${encodeURIComponent(ref.platformId ?? ref.externalTicketId)}`;
  const answer = await askJira(site, { path, query: { fields: 'status,resolution,updated,priority' } });
  if (answer.status === 404 && !isUnknownUser(answer) && saysMissing(answer)) return null;
  const fields = asObject(objectIn(answer)?.['fields']) ?? {};
  const state = answer.status === 200 ? stateOf(fields) : undefined;
  if (!state) throw new JiraFailureError(failureWithoutIssue(answer, site));
  const issue = { site, path, transition: await transitionFor(site, path, state, change) };
  const priority = asObject(fields['priority']);
  return {
    ...{ state, ref: refOf(objectIn(answer) ?? {}, site), isInSteps: true },
    hasPriority: severity => isNamed(priority, priorityOf(severity, site.settings)),
    hasText: async key => {
      const list = await readJira(site, { path: `${path}/comment`, query: NEWEST_COMMENTS });
      return JSON.stringify(list['comments'] ?? []).includes(key);
    },
    write: part => write(issue, part),
  };
}

async function transitionFor(
  site: JiraSite,
  path: string,
  { status }: TicketState,
  change?: TicketChange,
): Promise<ChosenTransition | undefined> {
  if (change?.kind !== 'resolve' && change?.kind !== 'reopen') return undefined;
  const isOver = status === 'resolved' || status === 'closed';
  if (isOver === (change.kind === 'resolve')) return undefined;
  const query = { expand: 'transitions.fields' };
  return chooseTransition(await readJira(site, { path: `${path}/transitions`, query }), change.kind);
}

interface ReadIssue {
  readonly site: JiraSite;
  readonly path: string;
  readonly transition: ChosenTransition | undefined;
}

async function write(issue: ReadIssue, { text, to, severity }: ChangePart): Promise<UpdateOutcome> {
  const { site, path, transition } = issue;
  if (text !== undefined) return send(site, { path: `${path}/comment`, json: { body: site.toComment(text) } }, 201);
  if (to !== undefined) {
    if (!transition || 'message' in transition) {
      return { kind: 'refused', code: 'config', message: transition?.message ?? 'The issue has no transition.' };
    }
    const { id, fields } = transition;
    const json = { transition: { id }, ...(fields && { fields }) };
    return send(site, { path: `${path}/transitions`, json }, 204, to);
  }
  const wanted = severity && priorityOf(severity, site.settings);
  const meta = await readJira(site, { path: `${path}/editmeta` });
  const allowed = asObject(asObject(meta['fields'])?.['priority'])?.['allowedValues'];
  const same = (Array.isArray(allowed) ? allowed : []).map(asObject).find(value => isNamed(value, wanted));
  const id = asText(same?.['id']);
  if (id !== undefined) return send(site, { path, method: 'PUT', json: { fields: { priority: { id } } } }, 204);
  const message = `The issue cannot be given the priority “${wanted}”: it has no such priority, or no priority field.`;
  return { kind: 'refused', code: 'field', message };
}

async function readJira(site: JiraSite, request: JiraRequest): Promise<JsonObject> {
  const answer = await askJira(site, request);
  const json = answer.status === 200 && !isUnknownUser(answer) ? objectIn(answer) : undefined;
  if (!json) throw new JiraFailureError(failureWithoutIssue(answer, site));
  return json;
}

/** @throws AdapterHttpError */
async function send(site: JiraSite, request: JiraRequest, done: number, now?: TicketStatus): Promise<UpdateOutcome> {
  const answer = await askJira(site, request);
  if (answer.status === done && !isUnknownUser(answer)) return { kind: 'updated', ...(now && { status: now }) };
  return outcomeOfChange(failureOf(answer, site));
}

function isNamed(value: JsonObject | undefined, nameOrId: string | undefined): boolean {
  if (nameOrId === undefined) return false;
  return value?.['id'] === nameOrId || asText(value?.['name'])?.toLowerCase() === nameOrId.toLowerCase();
}
