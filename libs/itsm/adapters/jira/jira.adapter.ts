import { Injectable } from '@nestjs/common';
import type { JsonObject } from '#core';
import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import { isHubSigned, type InboundReport } from '../../adapter/inbound-report.js';
import { ItsmAdapter, type AdapterCapabilities, type Check } from '../../adapter/itsm-adapter.port.js';
import { asObject, objectIn } from '../../adapter/platform-answer.js';
import type { RenderedTicket, TicketDraft } from '../../adapter/ticket-draft.js';
import type { TicketChange, UpdateOutcome } from '../../adapter/ticket-change.js';
import type { InboundUpdate, TicketState } from '../../adapter/ticket-state.js';
import { CreateMetaCache } from './create-meta-cache.js';
import type { CreateMeta } from './create-meta.js';
import { findIssues, refOf } from './find-issue.js';
import { fitIssue } from './fit-issue.js';
import { checkConnector } from './jira-checks.js';
import { renderIssue } from './jira-issue.js';
import { askJira } from './jira-request.js';
import { DELIVERY_HEADER, inboundOf, stateOf } from './jira-status.js';
import { updateIssue } from './jira-update.js';
import {
  isUnknownUser,
  JiraTroubleError,
  readFailure,
  saysMissing,
  troubleOf,
  troubleWithoutIssue,
} from './jira-trouble.js';
import {
  apiBaseOf,
  JIRA_SECRETS,
  JIRA_SETTINGS,
  type JiraContext,
  type JiraSecrets,
  type JiraSettings,
} from './jira-settings.js';

/** How long Jira may take to create an issue, in milliseconds. */
const CREATE_TIMEOUT_MS = 15_000;

/**
 * Issues in Jira Cloud, by its REST API, version 3 (https://developer.atlassian.com/cloud/jira/platform/rest/v3). What a
 * project takes is read before and kept for a minute; nothing is found out by failing.
 */
@Injectable()
export class JiraAdapter extends ItsmAdapter<JiraSettings, JiraSecrets> {
  readonly kind = 'jira';
  readonly title = 'Jira Cloud';
  readonly settingsSchema = JIRA_SETTINGS;
  readonly secretsSchema = JIRA_SECRETS;
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };
  private readonly projects = new CreateMetaCache();

  origins(settings: JiraSettings): readonly string[] {
    return [new URL(apiBaseOf(settings)).origin];
  }

  render(draft: TicketDraft, settings: JiraSettings): RenderedTicket {
    return renderIssue(draft, settings);
  }

  verify(context: JiraContext): Promise<Check[]> {
    this.projects.forget(context);
    return checkConnector(context, each => this.projects.of(each));
  }

  async create(context: JiraContext, ticket: RenderedTicket): Promise<CreateOutcome> {
    let meta: CreateMeta;
    try {
      meta = await this.projects.of(context);
    } catch (error) {
      return readFailure(error);
    }
    const { body, degraded, missing } = fitIssue(ticket.body, meta);
    if (Object.keys(missing).length === 0) return this.send(context, body, degraded);
    this.projects.forget(context);
    return { kind: 'rejected', code: 'field', message: Object.values(missing).join(' '), fields: missing };
  }

  findByKey(context: JiraContext, key: string): Promise<TicketRef[]> {
    return findIssues(context, key);
  }

  override async status(context: JiraContext, ref: TicketRef): Promise<TicketState | null> {
    // By its id an issue is found in whatever project it was moved to.
    const path = `/issue/${encodeURIComponent(ref.platformId ?? ref.externalTicketId)}`;
    const answer = await askJira(context, { path, query: { fields: 'status,resolution,updated' } });
    if (answer.status === 404 && !isUnknownUser(answer) && saysMissing(answer)) return null;
    const state = answer.status === 200 ? stateOf(asObject(objectIn(answer)?.['fields']) ?? {}) : undefined;
    if (!state) throw new JiraTroubleError(troubleWithoutIssue(answer, context.clock));
    const now = refOf(objectIn(answer) ?? {}, context);
    return now && now.externalTicketId !== ref.externalTicketId ? { ...state, movedTo: now } : state;
  }

  override update(context: JiraContext, ref: TicketRef, change: TicketChange): Promise<UpdateOutcome> {
    return updateIssue(context, ref, change);
  }

  override mapInbound(body: JsonObject, report?: InboundReport): InboundUpdate | null {
    return inboundOf(body, report?.headers[DELIVERY_HEADER]);
  }

  override isSigned(report: InboundReport, secret: string): boolean {
    return isHubSigned(report, secret);
  }

  private async send(context: JiraContext, json: JsonObject, degraded: readonly string[]): Promise<CreateOutcome> {
    try {
      const answer = await askJira(context, { path: '/issue', json, timeoutMs: CREATE_TIMEOUT_MS });
      const ref = answer.status === 201 ? refOf(objectIn(answer) ?? {}, context) : undefined;
      if (ref) return { kind: 'created', ref, ...(degraded.length > 0 && { degraded }) };
      const trouble = troubleOf(answer, context.clock);
      // Whoever refuses, may have changed since it was asked.
      if (trouble.kind === 'rejected') this.projects.forget(context);
      return trouble;
    } catch (error) {
      if (!(error instanceof AdapterHttpError)) throw error;
      return { kind: error.phase === 'not_sent' ? 'retryable' : 'uncertain', message: error.message };
    }
  }
}
