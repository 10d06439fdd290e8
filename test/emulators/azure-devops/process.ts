/** The category of a state (docs, "Workflow states and state categories"). */
export type Category = 'Proposed' | 'InProgress' | 'Resolved' | 'Completed' | 'Removed';

export type Workflow = readonly (readonly [state: string, category: Category])[];

/** The four default processes of an organization. */
export type ProcessName = 'Agile' | 'Basic' | 'Scrum' | 'CMMI';

const AGILE: Workflow = [
  ...([
    ['New', 'Proposed'],
    ['Active', 'InProgress'],
  ] as const),
  ...([
    ['Resolved', 'Resolved'],
    ['Closed', 'Completed'],
  ] as const),
];
const CMMI: Workflow = [['Proposed', 'Proposed'], ...AGILE.slice(1)];
const BASIC: Workflow = [
  ['To Do', 'Proposed'],
  ['Doing', 'InProgress'],
  ['Done', 'Completed'],
];
const SCRUM_BUG: Workflow = [
  ...([
    ['New', 'Proposed'],
    ['Approved', 'Proposed'],
    ['Committed', 'InProgress'],
  ] as const),
  ...([
    ['Done', 'Completed'],
    ['Removed', 'Removed'],
  ] as const),
];

/**
 * The states of types of work items, by process, in the order of the workflow. A new item has the first state
 * (https://learn.microsoft.com/azure/devops/boards/work-items/workflow-and-state-categories,
 * https://learn.microsoft.com/azure/devops/boards/work-items/guidance/choose-process).
 */
export const PROCESSES: Readonly<Record<ProcessName, Readonly<Record<string, Workflow>>>> = {
  Agile: {
    Bug: AGILE,
    Task: [
      ['New', 'Proposed'],
      ['Active', 'InProgress'],
      ['Closed', 'Completed'],
      ['Removed', 'Removed'],
    ],
    Issue: [
      ['Active', 'InProgress'],
      ['Closed', 'Completed'],
    ],
    'User Story': [...AGILE, ['Removed', 'Removed']],
  },
  Basic: { Issue: BASIC, Task: BASIC, Epic: BASIC },
  Scrum: {
    Bug: SCRUM_BUG,
    Task: [
      ['To Do', 'Proposed'],
      ['In Progress', 'InProgress'],
      ['Done', 'Completed'],
      ['Removed', 'Removed'],
    ],
    Impediment: [
      ['Open', 'InProgress'],
      ['Closed', 'Completed'],
    ],
  },
  CMMI: { Bug: CMMI, Task: CMMI, Issue: CMMI },
};

/** Properties of a field other than its label. */
export interface FieldRule {
  readonly label: string;
  readonly values?: readonly string[];
  /** Longest value in characters. */
  readonly max?: number;
}

const LONG_TEXT = 1_048_576;

/**
 * Fields by reference name (https://learn.microsoft.com/azure/devops/boards/work-items/guidance/work-item-field). A
 * single-line text has at most 255 characters, a long one a million (docs, "Work tracking, process, and project
 * limits").
 */
export const FIELDS: Readonly<Record<string, FieldRule>> = {
  'System.Title': { label: 'Title', max: 255 },
  'System.Description': { label: 'Description', max: LONG_TEXT },
  'Microsoft.VSTS.TCM.ReproSteps': { label: 'Repro Steps', max: LONG_TEXT },
  'System.History': { label: 'History', max: LONG_TEXT },
  'System.State': { label: 'State' },
  'System.Reason': { label: 'Reason', max: 255 },
  'System.Tags': { label: 'Tags' },
  'System.AreaPath': { label: 'Area Path' },
  'System.IterationPath': { label: 'Iteration Path' },
  'System.AssignedTo': { label: 'Assigned To' },
  'Microsoft.VSTS.Common.Priority': { label: 'Priority', values: ['1', '2', '3', '4'] },
  'Microsoft.VSTS.Common.Severity': {
    label: 'Severity',
    values: ['1 - Critical', '2 - High', '3 - Medium', '4 - Low'],
  },
};

/** Fields that only the service may write. */
export const READ_ONLY: Readonly<Record<string, string>> = {
  'System.Id': 'ID',
  'System.Rev': 'Rev',
  'System.WorkItemType': 'Work Item Type',
  'System.TeamProject': 'Team Project',
  'System.CreatedDate': 'Created Date',
  'System.ChangedDate': 'Changed Date',
};
