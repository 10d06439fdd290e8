import type { JsonObject } from '#core';
import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { outcomeOfChange } from '../../adapter/other-outcomes.js';
import { asText, jsonOf, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import { isDeclined, type TicketChange, type UpdateOutcome } from '../../adapter/ticket-change.js';
import { labelsIn, plainMarkdown, refOf, severityLabels, stateOf } from './gitlab-issue.js';
import { askGitLab, idIn, readGitLab, readingError, troubleOf } from './gitlab-request.js';
import type { GitLabContext } from './gitlab-settings.js';

const GONE = 'GitLab does not show the issue: it was deleted, or the account may not see it.';
const MOVED = 'People moved the issue to another project, where it is not changed any more.';
const UNLABELED = 'GitLab left the labels as they were: give the account the role Reporter.';
const UNTURNED = 'GitLab took the change but left the state of the issue as it was.';

/** What is sent to bring an issue into a state. */
const TURNS = {
  resolve: { event: 'close', state: 'closed', status: 'resolved' },
  reopen: { event: 'reopen', state: 'opened', status: 'open' },
} as const;

/**
 * An issue by its number in the project; null where GitLab says that there is none, or has another one of this number.
 * @throws PlatformAnswerError, AdapterHttpError
 */
export async function readIssue(context: GitLabContext, ref: TicketRef): Promise<JsonObject | null> {
  const answer = await askGitLab(context, pathOf(ref));
  const said = asText(objectIn(answer)?.['message']) ?? '';
  if (answer.status === 404 && /^404 (issue )?not found$/i.test(said)) return null;
  if (answer.status !== 200) throw readingError(answer, context.clock);
  jsonOf(answer, context.clock);
  const issue = objectIn(answer);
  if (!issue || !stateOf(issue)) throw new PlatformAnswerError('GitLab did not return the state of the issue.');
  return ref.platformId === undefined || idIn(issue, 'id') === ref.platformId ? issue : null;
}

/** Makes one change of an issue. @throws PlatformAnswerError, AdapterHttpError */
export async function updateIssue(
  context: GitLabContext,
  ref: TicketRef,
  change: TicketChange,
): Promise<UpdateOutcome> {
  const issue = await readIssue(context, ref);
  if (!issue) return { kind: 'gone', message: GONE };
  const outcome = await make(context, pathOf(ref), issue, change);
  const now = refOf(issue);
  const isRenamed = now && now.externalTicketId !== ref.externalTicketId;
  return outcome.kind === 'updated' && isRenamed ? { ...outcome, ref: now } : outcome;
}

/** The text goes first: where the rest then fails, the attempt is repeated, and finds the text. */
async function make(
  context: GitLabContext,
  path: string,
  issue: JsonObject,
  change: TicketChange,
): Promise<UpdateOutcome> {
  const { status = 'open', resolution } = stateOf(issue) ?? {};
  const { kind } = change;
  if (resolution === 'Moved') return { kind: 'refused', code: 'declined', message: MOVED };
  if (kind === 'priority') return raise(context, path, labelsIn(issue['labels']), change);
  if (kind === 'reopen' && isDeclined(resolution)) {
    const message = `People ended the issue with the label “${resolution ?? ''}”, so it is not reopened.`;
    return { kind: 'refused', code: 'declined', message };
  }
  const unsaid = await comment(context, path, change);
  const isAsWanted = kind === 'comment' || (status === 'open') === (kind === 'reopen');
  return unsaid ?? (isAsWanted ? { kind: 'updated', status } : turn(context, path, TURNS[kind]));
}

/** Undefined where the text stands there. */
async function comment(context: GitLabContext, path: string, change: TicketChange): Promise<UpdateOutcome | undefined> {
  const { key, text, repeated } = change;
  if (repeated) {
    const notes = await readGitLab(context, `${path}/notes?sort=desc&order_by=created_at&per_page=100`);
    if (notes.body.includes(key)) return undefined;
  }
  return write(context, 'POST', `${path}/notes`, { body: plainMarkdown(text) }, note => idIn(note, 'id') !== undefined);
}

async function turn(
  context: GitLabContext,
  path: string,
  { event, state, status }: (typeof TURNS)['resolve' | 'reopen'],
): Promise<UpdateOutcome> {
  let failed: UpdateOutcome | undefined;
  try {
    failed = await write(context, 'PUT', path, { state_event: event }, issue => issue['state'] === state, UNTURNED);
  } catch (error) {
    if (!(error instanceof AdapterHttpError)) throw error;
    failed = { kind: 'uncertain', message: error.message };
  }
  if (!failed) return { kind: 'updated', status };
  const isFinal = failed.kind === 'refused' && failed.code !== 'auth' && failed.code !== 'hibernating';
  // The text is there: the next attempt must look for it.
  return isFinal || !('message' in failed) ? failed : { kind: 'uncertain', message: failed.message };
}

/** Labels that are not those that were last set are the choice of people. */
async function raise(
  context: GitLabContext,
  path: string,
  labels: readonly string[],
  { severity, severityBefore }: TicketChange,
): Promise<UpdateOutcome> {
  const [from, to] = [severityLabels(severityBefore, context.settings), severityLabels(severity, context.settings)];
  const has = (each: readonly string[], all: readonly string[]): boolean => each.every(label => all.includes(label));
  if (has(to, labels)) return { kind: 'updated' };
  if (!has(from, labels)) return { kind: 'updated', kept: 'People changed the labels of the severity, so they stay.' };
  const json = { add_labels: to, remove_labels: from };
  const failed = await write(context, 'PUT', path, json, issue => has(to, labelsIn(issue['labels'])), UNLABELED);
  return failed ?? { kind: 'updated' };
}

/** Undefined where it was done. */
async function write(
  context: GitLabContext,
  method: 'POST' | 'PUT',
  path: string,
  json: JsonObject,
  isDone: (answer: JsonObject) => boolean,
  undone?: string,
): Promise<UpdateOutcome | undefined> {
  const answer = await askGitLab(context, path, { method, json });
  const made = answer.status === (method === 'POST' ? 201 : 200) ? objectIn(answer) : undefined;
  if (made && isDone(made)) return undefined;
  if (made && undone !== undefined) return { kind: 'refused', code: 'forbidden', message: undone };
  return outcomeOfChange(troubleOf(answer, context.clock));
}

/** @throws PlatformAnswerError */
function pathOf({ externalTicketId }: TicketRef): string {
  const iid = /#(\d+)$/.exec(externalTicketId)?.[1];
  if (iid === undefined) throw new PlatformAnswerError('The number of the issue in its project is unknown.');
  return `/issues/${iid}`;
}
