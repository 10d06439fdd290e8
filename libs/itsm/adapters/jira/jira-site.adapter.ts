import type { JsonObject } from '#core';
import { ApiAdapter, type Look } from '../../adapter/api-adapter.js';
import type { FoundTicket } from '../../adapter/change-ticket.js';
import type { CreateOutcome, TicketRef } from '../../adapter/create-outcome.js';
import { isHubSigned, type InboundReport } from '../../adapter/inbound-report.js';
import type { AdapterCapabilities, AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { objectIn } from '../../adapter/platform-answer.js';
import type { RenderedTicket } from '../../adapter/ticket-draft.js';
import type { TicketChange } from '../../adapter/ticket-change.js';
import type { InboundUpdate } from '../../adapter/ticket-state.js';
import { CreateMetaCache } from './create-meta-cache.js';
import type { CreateMeta } from './create-meta.js';
import { refOf } from './find-issue.js';
import { fitIssue } from './fit-issue.js';
import { checksOf } from './jira-checks.js';
import { askJira } from './jira-request.js';
import type { JiraProjectSettings, JiraSite } from './jira-site.js';
import { DELIVERY_HEADER, inboundOf } from './jira-status.js';
import { readIssue } from './jira-update.js';
import { readFailure, failureOf } from './jira-failure.js';

/** Timeout of the request that creates an issue, in milliseconds. */
const CREATE_TIMEOUT_MS = 15_000;

/**
 * Adapter for issues in any edition of Jira. It first reads the metadata of the project, and caches it for a minute. A
 * create therefore does not fail for a reason that the metadata shows.
 */
export abstract class JiraSiteAdapter<Settings extends JiraProjectSettings, Secrets extends object> extends ApiAdapter<
  Settings,
  Secrets
> {
  readonly capabilities: AdapterCapabilities = { priority: true, labels: true, comment: true, findByKey: 'eventual' };
  private readonly projects = new CreateMetaCache();

  /** The Jira site of a connector, with its account. */
  protected abstract siteOf(context: AdapterContext<Settings, Secrets>): JiraSite;

  protected override looks(context: AdapterContext<Settings, Secrets>): readonly Look[] {
    const site = this.siteOf(context);
    this.projects.forget(site);
    return checksOf(site, each => this.projects.of(each));
  }

  override async create(context: AdapterContext<Settings, Secrets>, ticket: RenderedTicket): Promise<CreateOutcome> {
    const site = this.siteOf(context);
    let meta: CreateMeta;
    try {
      meta = await this.projects.of(site);
    } catch (error) {
      return readFailure(error);
    }
    const { body, degraded, missing } = fitIssue(ticket.body, meta);
    if (Object.keys(missing).length === 0) return this.send(site, body, degraded);
    this.projects.forget(site);
    return { kind: 'rejected', code: 'field', message: Object.values(missing).join(' '), fields: missing };
  }

  protected override read(
    context: AdapterContext<Settings, Secrets>,
    ref: TicketRef,
    change?: TicketChange,
  ): Promise<FoundTicket | null> {
    return readIssue(this.siteOf(context), ref, change);
  }

  override mapInbound(body: JsonObject, report?: InboundReport): InboundUpdate | null {
    return inboundOf(body, report?.headers[DELIVERY_HEADER]);
  }

  override isSigned(report: InboundReport, secret: string): boolean {
    return isHubSigned(report, secret);
  }

  private async send(site: JiraSite, json: JsonObject, degraded: readonly string[]): Promise<CreateOutcome> {
    const answer = await askJira(site, { path: '/issue', json, timeoutMs: CREATE_TIMEOUT_MS });
    const ref = answer.status === 201 ? refOf(objectIn(answer) ?? {}, site) : undefined;
    if (ref) return { kind: 'created', ref, ...(degraded.length > 0 && { degraded }) };
    const failure = failureOf(answer, site);
    // The cached metadata may be outdated and have caused the refusal. Therefore, the next attempt reads it again.
    if (failure.kind === 'rejected') this.projects.forget(site);
    return failure;
  }
}
