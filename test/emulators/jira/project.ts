import type { Json, JsonObject } from '#core';

export interface Named {
  readonly id: string;
  /** The name in English, or as people have chosen it. */
  readonly name: string;
}

export interface Field {
  readonly name: string;
  readonly required?: boolean;
  readonly type?: string;
}

/** A project of the site, with the fields of its create screen. */
export interface Project {
  readonly id: string;
  readonly key: string;
  readonly types: readonly Named[];
  readonly priorities: readonly Named[];
  /** Further fields, by id. */
  readonly more: Readonly<Record<string, Field>>;
}

const PRIORITIES = ['Highest', 'High', 'Medium', 'Low', 'Lowest'].map((name, at) => ({ id: String(at + 1), name }));

/**
 * A default project of a site. Team-managed projects have their own types, which may have the same names as types of
 * other projects. Only ids distinguish them.
 */
export function fieldProject(more: Partial<Project> = {}): Project {
  return {
    id: '10000',
    key: 'SEC',
    types: [
      { id: '10002', name: 'Task' },
      { id: '10004', name: 'Bug' },
    ],
    priorities: PRIORITIES,
    more: {},
    ...more,
  };
}

/** The fields of the create screen, by id. */
export function screenOf({ more }: Project): ReadonlyMap<string, Field> {
  return new Map(Object.entries({ ...USUAL, ...more }));
}

const USUAL: Readonly<Record<string, Field>> = {
  project: { name: 'Project', required: true },
  issuetype: { name: 'Issue Type', required: true },
  reporter: { name: 'Reporter', required: true },
  summary: { name: 'Summary', required: true },
  description: { name: 'Description' },
  labels: { name: 'Labels', type: 'array' },
  priority: { name: 'Priority' },
};

/** The create screen in the format of the create metadata. */
export function shownScreen(project: Project, shown: (name: string) => string): JsonObject[] {
  const values = project.priorities.map(({ id, name }): Json => ({ id, name: shown(name) }));
  return Array.from(screenOf(project), ([fieldId, { name, required = false, type = 'string' }]): JsonObject => {
    const isPriority = fieldId === 'priority';
    const entry: JsonObject = { fieldId, key: fieldId, name, required, hasDefaultValue: isPriority };
    Object.assign(entry, { operations: ['set'], schema: { type, system: fieldId } });
    return isPriority ? Object.assign(entry, { allowedValues: values }) : entry;
  });
}
