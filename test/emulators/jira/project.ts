import type { Json, JsonObject } from '#core';

export interface Named {
  readonly id: string;
  /** The name in English, or as people have chosen it. */
  readonly name: string;
}

export interface IssueType extends Named {
  /** Whether issues of the type need a parent. Default: false. */
  readonly subtask?: boolean;
}

export interface Field {
  readonly name: string;
  readonly required?: boolean;
  /** Whether the site fills the field if a request omits it. Default: false. */
  readonly hasDefault?: boolean;
  readonly type?: string;
}

/** A project of the site, with the fields of its create screen. */
export interface Project {
  readonly id: string;
  readonly key: string;
  readonly types: readonly IssueType[];
  readonly priorities: readonly Named[];
  /** Further fields, by id. */
  readonly more: Readonly<Record<string, Field>>;
  /** Ids of usual fields that the create screen lacks. Default: none. */
  readonly without?: readonly string[];
  /** Whether the account may create issues in the project. Default: true. */
  readonly mayCreate?: boolean;
}

/** A required field that only a person can fill. */
export const TEAM_FIELD: Readonly<Record<string, Field>> = { customfield_10050: { name: 'Team', required: true } };

/** Priorities with these names, from the highest on. Their ids begin with 1. */
export function prioritiesNamed(...names: string[]): Named[] {
  return names.map((name, at) => ({ id: String(at + 1), name }));
}

const PRIORITIES = prioritiesNamed('Highest', 'High', 'Medium', 'Low', 'Lowest');

/**
 * A default project of a site. Team-managed projects have their own types, which may have the same names as types of
 * other projects. Only ids distinguish them. Other projects share the types of the site.
 */
export function fieldProject(more: Partial<Project> = {}): Project {
  return {
    id: '10000',
    key: 'SEC',
    types: [
      { id: '10002', name: 'Task' },
      { id: '10004', name: 'Bug' },
      { id: '10003', name: 'Sub-task', subtask: true },
    ],
    priorities: PRIORITIES,
    more: {},
    ...more,
  };
}

/** The fields of the create screen, by id. */
export function screenOf({ more, without = [] }: Project): ReadonlyMap<string, Field> {
  return new Map(Object.entries({ ...USUAL, ...more }).filter(([id]) => !without.includes(id)));
}

const USUAL: Readonly<Record<string, Field>> = {
  project: { name: 'Project', required: true, type: 'project' },
  issuetype: { name: 'Issue Type', required: true, type: 'issuetype' },
  // The site fills the reporter with the calling account, although the metadata do not say so.
  reporter: { name: 'Reporter', required: true, type: 'user' },
  summary: { name: 'Summary', required: true },
  description: { name: 'Description' },
  labels: { name: 'Labels', type: 'array' },
  priority: { name: 'Priority', type: 'priority', hasDefault: true },
};

/** The create screen in the format of the create metadata. */
export function shownScreen(project: Project, shown: (name: string) => string): JsonObject[] {
  const values = project.priorities.map(({ id, name }): Json => ({ id, name: shown(name) }));
  return Array.from(screenOf(project), ([fieldId, field]): JsonObject => {
    const { name, required = false, hasDefault = false, type = 'string' } = field;
    const schema: JsonObject = fieldId in USUAL ? { type, system: fieldId } : { type, customId: 10_050 };
    const entry: JsonObject = { fieldId, key: fieldId, name, required, hasDefaultValue: hasDefault, schema };
    Object.assign(entry, { operations: ['set'] });
    return fieldId === 'priority' ? Object.assign(entry, { allowedValues: values }) : entry;
  });
}
