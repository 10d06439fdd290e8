import type { JsonObject } from '#core';
import { AdapterHttpError, type AdapterResponse } from '../../adapter/adapter-http.js';
import type { TicketRef } from '../../adapter/create-outcome.js';
import { asObject, asText, objectIn } from '../../adapter/platform-answer.js';
import { isDeclined, type TicketChange, type UpdateOutcome } from '../../adapter/ticket-change.js';
import type { TicketState } from '../../adapter/ticket-state.js';
import { refOf } from './find-issue.js';
import { priorityOf } from './jira-issue.js';
import { askJira, type JiraRequest } from './jira-request.js';
import { stateOf } from './jira-status.js';
import { isUnknownUser, JiraTroubleError, saysMissing, troubleOf, troubleWithoutIssue } from './jira-trouble.js';
import type { JiraSite } from './jira-site.js';
import { chooseTransition } from './transitions.js';

/** More comments than people write within the minutes between two attempts. */
const COMMENTS_READ = '100';

const GONE = 'Jira does not show the issue: it was deleted, or the account may not see it.';

/** An issue as it is before a change. */
interface Before {
  readonly state: TicketState;
  readonly priority: JsonObject | undefined;
  readonly ref: TicketRef | undefined;
}

/**
 * Makes one change of an issue. Everything is read before anything is written, so a failure to read changes nothing. The
 * text goes first: where the rest then fails, the attempt is repeated, and finds the text.
 * @throws JiraTroubleError, AdapterHttpError
 */
export async function updateIssue(site: JiraSite, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
  const path = `/issue/${encodeURIComponent(ref.platformId ?? ref.externalTicketId)}`;
  const before = await readIssue(site, path);
  if (!before) return { kind: 'gone', message: GONE };
  const moved = before.ref && before.ref.externalTicketId !== ref.externalTicketId ? { ref: before.ref } : {};
  const outcome = await new IssueUpdate(site, path, change).make(before);
  return outcome.kind === 'updated' ? { ...outcome, ...moved } : outcome;
}

class IssueUpdate {
  constructor(
    private readonly site: JiraSite,
    private readonly path: string,
    private readonly change: TicketChange,
  ) {}

  async make(before: Before): Promise<UpdateOutcome> {
    const { kind } = this.change;
    if (kind === 'priority') return this.raise(before);
    if (kind === 'comment') return this.comment();
    const isOver = before.state.status === 'resolved' || before.state.status === 'closed';
    if (kind === 'reopen' && isOver && isDeclined(before.state.resolution)) {
      const message = `People ended the issue with “${before.state.resolution ?? ''}”, so it is not reopened.`;
      return { kind: 'refused', code: 'declined', message };
    }
    // Where people have moved it already, the text is all there is to add.
    if (isOver === (kind === 'resolve')) {
      const said = await this.comment();
      return said.kind === 'updated' ? { kind: 'updated', status: before.state.status } : said;
    }
    return this.move(kind);
  }

  private async move(kind: 'resolve' | 'reopen'): Promise<UpdateOutcome> {
    const path = `${this.path}/transitions`;
    const list = await this.read({ path, query: { expand: 'transitions.fields' } });
    const chosen = chooseTransition(list, kind);
    const said = await this.comment();
    if (said.kind !== 'updated' || 'message' in chosen) return said.kind === 'updated' ? refusedAs(chosen) : said;
    const { id, fields } = chosen;
    const moved = await this.write({ path, json: { transition: { id }, ...(fields && { fields }) } }, 204);
    if (!moved) return { kind: 'updated', status: kind === 'resolve' ? 'resolved' : 'open' };
    // The text is there: the next attempt must look for it.
    const isFinal = moved.kind === 'refused' && moved.code !== 'auth' && moved.code !== 'hibernating';
    return isFinal || moved.kind === 'updated' ? moved : { kind: 'uncertain', message: moved.message };
  }

  private async comment(): Promise<UpdateOutcome> {
    const path = `${this.path}/comment`;
    const { key, text, repeated } = this.change;
    if (repeated) {
      const list = await this.read({ path, query: { orderBy: '-created', maxResults: COMMENTS_READ } });
      if (JSON.stringify(list['comments'] ?? []).includes(key)) return { kind: 'updated' };
    }
    return (await this.write({ path, json: { body: this.site.toComment(text) } }, 201)) ?? { kind: 'updated' };
  }

  /** A priority that is not the one that was last set is the choice of people. */
  private async raise({ priority }: Before): Promise<UpdateOutcome> {
    const { settings } = this.site;
    const [from, to] = [this.change.severityBefore, this.change.severity].map(each => priorityOf(each, settings));
    if (isNamed(priority, to)) return { kind: 'updated' };
    if (!isNamed(priority, from)) {
      const kept = `People set the priority “${asText(priority?.['name']) ?? 'none'}”, so it was not raised.`;
      return { kind: 'updated', kept };
    }
    const meta = await this.read({ path: `${this.path}/editmeta` });
    const allowed = asObject(asObject(meta['fields'])?.['priority'])?.['allowedValues'];
    const same = (Array.isArray(allowed) ? allowed : []).map(asObject).find(value => isNamed(value, to));
    const id = asText(same?.['id']);
    if (id === undefined) {
      const message = `The issue cannot be given the priority “${to ?? ''}”: it has no such priority, or no priority field.`;
      return { kind: 'refused', code: 'field', message };
    }
    const json = { fields: { priority: { id } } };
    return (await this.write({ path: this.path, method: 'PUT', json }, 204)) ?? { kind: 'updated' };
  }

  private async read(request: JiraRequest): Promise<JsonObject> {
    const answer = await askJira(this.site, request);
    const json = answer.status === 200 && !isUnknownUser(answer) ? objectIn(answer) : undefined;
    if (!json) throw new JiraTroubleError(troubleWithoutIssue(answer, this.site));
    return json;
  }

  /** Undefined where it was done. */
  private async write(request: JiraRequest, done: number): Promise<UpdateOutcome | undefined> {
    let answer: AdapterResponse;
    try {
      answer = await askJira(this.site, request);
    } catch (error) {
      if (!(error instanceof AdapterHttpError)) throw error;
      // The text may have been added before.
      return { kind: 'uncertain', message: error.message };
    }
    if (answer.status === done && !isUnknownUser(answer)) return undefined;
    const trouble = troubleOf(answer, this.site);
    return trouble.kind === 'rejected' ? { kind: 'refused', code: trouble.code, message: trouble.message } : trouble;
  }
}

async function readIssue(site: JiraSite, path: string): Promise<Before | undefined> {
  const answer = await askJira(site, { path, query: { fields: 'status,resolution,updated,priority' } });
  if (answer.status === 404 && !isUnknownUser(answer) && saysMissing(answer)) return undefined;
  const fields = asObject(objectIn(answer)?.['fields']) ?? {};
  const state = answer.status === 200 ? stateOf(fields) : undefined;
  if (!state) throw new JiraTroubleError(troubleWithoutIssue(answer, site));
  return { state, priority: asObject(fields['priority']), ref: refOf(objectIn(answer) ?? {}, site) };
}

function refusedAs(chosen: ReturnType<typeof chooseTransition>): UpdateOutcome {
  return { kind: 'refused', code: 'config', message: 'message' in chosen ? chosen.message : '' };
}

function isNamed(value: JsonObject | undefined, nameOrId: string | undefined): boolean {
  if (nameOrId === undefined) return false;
  return value?.['id'] === nameOrId || asText(value?.['name'])?.toLowerCase() === nameOrId.toLowerCase();
}
