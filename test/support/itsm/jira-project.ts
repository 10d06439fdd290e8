/** A value that a field may have, in the format of create metadata. */
export interface JiraValue {
  readonly id: string;
  readonly name: string;
}

/** A field of the create screen. */
export interface JiraField {
  readonly fieldId: string;
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly hasDefaultValue?: boolean;
  readonly allowedValues?: readonly JiraValue[];
}

export interface JiraIssueType extends JiraValue {
  readonly subtask: boolean;
  readonly fields: readonly JiraField[];
}

/** A project of the emulator. */
export interface JiraProject {
  readonly id: string;
  readonly key: string;
  readonly issueTypes: readonly JiraIssueType[];
  /** Whether the account may create issues. */
  readonly mayCreate: boolean;
}

export interface JiraProjectOptions {
  /** The key of the project. Default: SEC. */
  readonly key?: string;
  /** Names of the project's priorities. Default: Jira's defaults. */
  readonly priorities?: readonly string[];
  /** Ids of default fields that are missing on the project's screens. */
  readonly without?: readonly string[];
  /** Further fields on the project's screens. */
  readonly more?: readonly JiraField[];
  /** The types of issues. Default: Bug (10004), Task (10002), and the subtask type Sub-task (10003). */
  readonly types?: readonly string[];
  /** Default: true. */
  readonly mayCreate?: boolean;
}

const PRIORITIES = ['Highest', 'High', 'Medium', 'Low', 'Lowest'];

/** A required field that only a person can fill. */
export const TEAM_FIELD: JiraField = { fieldId: 'customfield_10050', name: 'Team', type: 'string', required: true };

/** A project with the default screens, changed by the options. */
export function jiraProject(options: JiraProjectOptions = {}): JiraProject {
  const { key = 'SEC', priorities = PRIORITIES, without = [], more = [], types = ['Bug', 'Task'] } = options;
  const fields: JiraField[] = [
    { fieldId: 'project', name: 'Project', type: 'project', required: true },
    { fieldId: 'issuetype', name: 'Issue Type', type: 'issuetype', required: true },
    { fieldId: 'reporter', name: 'Reporter', type: 'user', required: true },
    { fieldId: 'summary', name: 'Summary', type: 'string', required: true },
    { fieldId: 'description', name: 'Description', type: 'doc' },
    { fieldId: 'labels', name: 'Labels', type: 'array' },
    {
      fieldId: 'priority',
      name: 'Priority',
      type: 'priority',
      hasDefaultValue: true,
      allowedValues: priorities.map((name, at) => ({ id: String(at + 1), name })),
    },
    ...more,
  ].filter(({ fieldId }) => !without.includes(fieldId));
  return {
    id: String(10_000 + key.length),
    key,
    mayCreate: options.mayCreate ?? true,
    issueTypes: [
      ...types.map((name, at) => ({ id: String(10_004 - 2 * at), name, subtask: false, fields })),
      { id: '10003', name: 'Sub-task', subtask: true, fields },
    ],
  };
}
