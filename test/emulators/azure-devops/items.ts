import type { Json, JsonObject } from '#core';
import type { Workflow } from './process.js';

/** A work item of the organization. Its id does not change when it is moved to another project. */
export interface WorkItem {
  readonly id: number;
  rev: number;
  project: string;
  readonly type: string;
  readonly workflow: Workflow;
  /** The fields by reference name, without computed ones. */
  fields: Record<string, Json>;
  readonly createdAt: Date;
  changedAt: Date;
  readonly comments: { readonly id: number; readonly text: string; readonly createdAt: Date }[];
  /** Whether the item is in the recycle bin, or the account may not read it. */
  isHidden: boolean;
}

/** The work items of an organization. */
export class WorkItems {
  readonly all: WorkItem[] = [];
  /** The clock of the organization. */
  now = (): Date => new Date();

  constructor(private readonly origin: () => string) {}

  create(project: string, type: string, workflow: Workflow, fields: Record<string, Json>): WorkItem {
    const now = this.now();
    const state = workflow[0]?.[0] ?? '';
    const item: WorkItem = {
      ...{ id: 297 + this.all.length, rev: 1, project, type, workflow, createdAt: now, changedAt: now },
      fields: { 'System.State': state, 'System.AreaPath': project, 'System.IterationPath': project, ...fields },
      ...{ comments: [], isHidden: false },
    };
    this.all.push(item);
    return item;
  }

  find(id: string, project?: string): WorkItem | undefined {
    return this.visible(project).find(item => String(item.id) === id);
  }

  visible(project?: string): WorkItem[] {
    return this.all.filter(item => !item.isHidden && (project === undefined || item.project === project));
  }

  /** Adds a revision. */
  revise(item: WorkItem, fields: Record<string, Json>): void {
    item.fields = fields;
    item.rev += 1;
    item.changedAt = this.now();
  }

  /**
   * Moves the item to another project, as a person does. Its id does not change (docs, "Move, change, or delete work
   * items").
   */
  move(item: WorkItem, project: string): void {
    item.project = project;
    this.revise(item, { ...item.fields, 'System.AreaPath': project, 'System.IterationPath': project });
  }

  /** All fields, including computed ones. */
  fieldsOf(item: WorkItem): Record<string, Json> {
    return {
      ...{ 'System.Id': item.id, 'System.Rev': item.rev, 'System.WorkItemType': item.type },
      ...{ 'System.TeamProject': item.project, ...item.fields, 'System.CommentCount': item.comments.length },
      'System.CreatedDate': item.createdAt.toISOString(),
      'System.ChangedDate': item.changedAt.toISOString(),
    };
  }

  /**
   * The format of "Work Items - Get Work Item". With `names`, the answer has only these fields, if they have a value.
   */
  show(item: WorkItem, names?: readonly string[]): JsonObject {
    const all = Object.entries(this.fieldsOf(item));
    const fields = Object.fromEntries(all.filter(([name]) => names?.includes(name) ?? true));
    const url = `${this.origin()}/_apis/wit/workItems/${item.id}`;
    const html = { href: `${this.origin()}/${encodeURIComponent(item.project)}/_workitems/edit/${item.id}` };
    return { id: item.id, rev: item.rev, fields, _links: { self: { href: url }, html }, url };
  }

  /**
   * The service hook request for the last change of an item
   * (https://learn.microsoft.com/azure/devops/service-hooks/events, "Work item updated"). It is not signed. A
   * subscription may have basic credentials and custom headers.
   */
  serviceHookOf(item: WorkItem, changed: JsonObject, notificationId = 1): JsonObject {
    return {
      ...{ subscriptionId: 'aaaa0a0a-bb1b-cc2c-dd3d-eeeeee4e4e4e', notificationId, publisherId: 'tfs' },
      ...{ id: `27646e0e-b520-4d2b-9411-${String(notificationId).padStart(12, '0')}`, eventType: 'workitem.updated' },
      resource: {
        ...{ id: item.rev, workItemId: item.id, rev: item.rev, fields: changed },
        revision: this.show(item),
      },
      ...{ resourceVersion: '1.0', createdDate: item.changedAt.toISOString() },
    };
  }
}
