import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '#core';

/** An issue of the project. */
export interface GitLabIssue {
  readonly id: number;
  /** The number of the issue within its project. */
  readonly iid: number;
  title: string;
  description: string | null;
  labels: string[];
  state: 'opened' | 'closed';
  confidential: boolean;
  /** Guests see a confidential issue only if they created it. */
  readonly isOwn: boolean;
  readonly createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  /** The id of the issue to which this issue was moved. The old issue is closed and stays in its project. */
  movedToId: number | null;
  readonly notes: { readonly id: number; readonly body: string; readonly createdAt: Date }[];
}

/** The issues of one project. */
export class GitLabIssues {
  readonly all: GitLabIssue[] = [];
  /** Labels of the project. An issue creates missing labels. */
  readonly labels = new Set<string>();
  /** The clock of the instance. */
  now = (): Date => new Date();

  constructor(
    private readonly project: { readonly id: number; readonly path_with_namespace: string; readonly web_url: string },
  ) {}

  create(given: Pick<GitLabIssue, 'title' | 'description' | 'labels' | 'confidential'>, isOwn = true): GitLabIssue {
    const iid = this.all.length + 1;
    const now = this.now();
    const issue: GitLabIssue = {
      ...{ id: 84_000 + iid, iid, ...given, isOwn, state: 'opened', createdAt: now, updatedAt: now },
      ...{ closedAt: null, movedToId: null, notes: [] },
    };
    given.labels.forEach(label => this.labels.add(label));
    this.all.push(issue);
    return issue;
  }

  find(iid: string): GitLabIssue | undefined {
    return this.all.find(issue => String(issue.iid) === iid);
  }

  transit(issue: GitLabIssue, state: GitLabIssue['state']): void {
    if (issue.state === state) return;
    issue.state = state;
    issue.closedAt = state === 'closed' ? this.now() : null;
    issue.updatedAt = this.now();
  }

  /**
   * Moves the issue to another project, as a person does (https://docs.gitlab.com/user/project/issues/managing_issues/,
   * "Move an issue").
   */
  move(issue: GitLabIssue): void {
    issue.movedToId = issue.id + 1_000_000;
    this.transit(issue, 'closed');
  }

  /** The issue in the API's format (https://docs.gitlab.com/api/issues/, "Single project issue"). */
  show(issue: GitLabIssue): JsonObject {
    const { id, iid, title, description, labels, state, confidential, movedToId } = issue;
    return {
      ...{ id, iid, project_id: this.project.id, title, description, state, confidential, labels: [...labels] },
      created_at: issue.createdAt.toISOString(),
      updated_at: issue.updatedAt.toISOString(),
      closed_at: issue.closedAt?.toISOString() ?? null,
      ...{ moved_to_id: movedToId, type: 'ISSUE', issue_type: 'issue', user_notes_count: issue.notes.length },
      web_url: `${this.project.web_url}/-/issues/${iid}`,
      references: { short: `#${iid}`, relative: `#${iid}`, full: `${this.project.path_with_namespace}#${iid}` },
    };
  }

  /**
   * The request of a project webhook for a change (https://docs.gitlab.com/user/project/integrations/webhook_events/,
   * "Issue events"; https://docs.gitlab.com/user/project/integrations/webhooks/, "Delivery headers"). A retry has the
   * same `Idempotency-Key`. `X-Gitlab-Event-UUID` identifies the event; several hooks may share it.
   */
  webhookOf(
    issue: GitLabIssue,
    action: 'open' | 'update' | 'close' | 'reopen',
    hook: { readonly token?: string; readonly eventUuid?: string; readonly changes?: JsonObject } = {},
  ): { body: string; headers: Record<string, string> } {
    const kind = issue.confidential ? 'Confidential Issue Hook' : 'Issue Hook';
    const eventUuid = hook.eventUuid ?? randomUUID();
    const labels = issue.labels.map((title, at): Json => ({ id: 200 + at, title, project_id: this.project.id }));
    const body: JsonObject = {
      ...{ object_kind: 'issue', event_type: issue.confidential ? 'confidential_issue' : 'issue' },
      user: { id: 7, name: 'Administrator', username: 'root' },
      project: { ...this.project },
      object_attributes: {
        ...{ id: issue.id, iid: issue.iid, project_id: this.project.id, title: issue.title },
        ...{ description: issue.description, state: issue.state, action, confidential: issue.confidential },
        ...{ moved_to_id: issue.movedToId, url: `${this.project.web_url}/-/issues/${issue.iid}` },
        updated_at: issue.updatedAt.toISOString(),
      },
      ...{ labels, changes: hook.changes ?? {} },
    };
    return {
      body: JSON.stringify(body),
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': 'GitLab/18.0.0' },
        ...{ 'x-gitlab-instance': new URL(this.project.web_url).origin, 'x-gitlab-event': kind },
        ...{ 'x-gitlab-event-uuid': eventUuid, 'x-gitlab-webhook-uuid': HOOK_UUID, 'idempotency-key': eventUuid },
        // The header contains the secret itself, not a signature.
        ...(hook.token !== undefined && { 'x-gitlab-token': hook.token }),
      },
    };
  }
}

const HOOK_UUID = '6f9a4d0c-54b7-4e2a-9c1a-2f0d2b8e7a11';
