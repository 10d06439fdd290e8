import type { Json } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { asObject } from '#itsm';
import type { PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { refused, type GitLabConditions } from './conditions.js';
import { notGiven } from './issue-fields.js';
import type { GitLabIssue, GitLabIssues } from './issues.js';

/** Longest note in characters (https://docs.gitlab.com/api/notes/, "Create new issue note"). */
const NOTE_MAX = 1_000_000;

/** A line that is a command, such as `/close` (https://docs.gitlab.com/user/project/quick_actions/). */
const QUICK_ACTION = /^\/(close|reopen)[^\S\n]*$/;

/**
 * `POST /projects/:id/issues/:iid/notes`. Lines that are quick actions are executed and removed from the note. If
 * nothing else remains, no note is stored, and the answer is 202.
 */
export function addNote(
  { json, url }: PlatformRequest,
  issue: GitLabIssue,
  issues: GitLabIssues,
  conditions: GitLabConditions,
): PlatformAnswer {
  const given = asObject(json)?.['body'] ?? url.searchParams.get('body');
  if (given === undefined || given === null) return notGiven('body', conditions);
  if (typeof given !== 'string' || given.trim() === '') return refused(400, { note: ["can't be blank"] });
  if (given.length > NOTE_MAX) return refused(400, { note: [`is too long (maximum is ${NOTE_MAX} characters)`] });
  const { text: body, changes } = carryOut(given, issue, issues);
  if (body === '') return { status: 202, json: { commands_changes: changes, summary: ['Applied the commands.'] } };
  const note = { id: 302 + issue.notes.length, body, createdAt: issues.now() };
  issue.notes.push(note);
  issue.updatedAt = issues.now();
  return { status: 201, json: { ...shown(note, issue), commands_changes: changes } };
}

/** Runs the quick actions in a text, but not those in code blocks, and returns the text without them. */
export function carryOut(
  given: string,
  issue: GitLabIssue,
  issues: GitLabIssues,
): { text: string; changes: Record<string, Json> } {
  const changes: Record<string, Json> = {};
  const kept: string[] = [];
  let isCode = false;
  for (const line of given.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const action = isCode ? undefined : QUICK_ACTION.exec(line)?.[1];
    if (action === undefined) kept.push(line);
    else {
      issues.transit(issue, action === 'close' ? 'closed' : 'opened');
      changes['state_event'] = action;
    }
  }
  return { text: kept.join('\n').trim(), changes };
}

/** The notes of an issue, newest first. */
export function listNotes(issue: GitLabIssue): PlatformAnswer {
  return { status: 200, json: issue.notes.toReversed().map(note => shown(note, issue)) };
}

function shown({ id, body, createdAt }: GitLabIssue['notes'][number], { id: noteable_id, iid }: GitLabIssue) {
  return { id, body, system: false, created_at: createdAt.toISOString(), noteable_id, noteable_iid: iid };
}
