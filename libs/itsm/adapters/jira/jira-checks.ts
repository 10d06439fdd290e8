import type { JsonObject } from '#core';
import type { Finding, Look } from '../../adapter/api-adapter.js';
import { asObject, objectIn } from '../../adapter/platform-answer.js';
import { unknownProject, type AllowedValue, type CreateMeta } from './create-meta.js';
import { fitIssue } from './fit-issue.js';
import { prioritiesOf } from './jira-issue.js';
import { askJira } from './jira-request.js';
import { hidesProject, isUnknownUser, JiraFailureError, failureWithoutIssue } from './jira-failure.js';
import type { JiraProjectSettings, JiraSite } from './jira-site.js';

/** The steps of the connector test for Jira. They only read. */
export function checksOf(site: JiraSite, readMeta: (site: JiraSite) => Promise<CreateMeta>): readonly Look[] {
  const { settings } = site;
  const more = Object.keys(settings.fields ?? {});
  let fields: CreateMeta['fields'] = new Map();
  let missing: readonly string[] = [];
  let permissions: JsonObject = {};
  const account = async (): Promise<Finding> => {
    permissions = await readPermissions(site);
    return lookAtAccount(site, permissions);
  };
  const read = async (): Promise<string> => {
    const meta = await readMeta(site);
    fields = meta.fields;
    missing = Object.values(fitIssue({ fields: { ...settings.fields, ...EVERYTHING } }, meta).missing);
    return `${meta.issueType.name} (id ${meta.issueType.id}).`;
  };
  return [
    ['The account may create issues in the project', account],
    ['The account may change issues in the project', () => lookAtChanges(site, permissions)],
    ['The issue type exists', read],
    [
      'No other field is required',
      () => (missing.length === 0 ? 'Every required field is filled.' : { failed: missing.join(' ') }),
    ],
    ...more.map((field): Look => [`The field ${field} can be set`, () => (fields.has(field) ? undefined : UNLISTED)]),
    ['The priorities exist', () => lookAtPriorities(fields.get('priority')?.allowed ?? [], settings)],
    ['Labels are taken', () => lookAtField(fields, 'labels', 'Issues can be found by their description only.')],
    ['The description can be set', () => lookAtField(fields, 'description', 'Issues contain the summary only.')],
  ];
}

const UNLISTED = {
  warning: 'It is not on the create screen of this issue type: issues are created without a value in it.',
};

const NEEDED = ['BROWSE_PROJECTS', 'CREATE_ISSUES'];

/** What does not work if the account lacks a permission that only changes of tickets need. */
const OF_CHANGES = new Map([
  ['ADD_COMMENTS', 'issues get no comments about further occurrences'],
  ['EDIT_ISSUES', 'their priority is not raised'],
  ['TRANSITION_ISSUES', 'they are neither resolved nor reopened with their incident'],
]);

/** Jira also answers anonymous requests. Their answers would show the account as lacking permissions. */
async function readPermissions(site: JiraSite): Promise<JsonObject> {
  const { project_key } = site.settings;
  const answer = await askJira(site, {
    path: '/mypermissions',
    query: { projectKey: project_key, permissions: [...NEEDED, ...OF_CHANGES.keys()].join() },
  });
  const permissions = asObject(objectIn(answer)?.['permissions']);
  if (answer.status !== 200 || permissions === undefined || isUnknownUser(answer)) {
    const failure = failureWithoutIssue(answer, site);
    throw new JiraFailureError(hidesProject(answer, failure) ? unknownProject(site) : failure);
  }
  return permissions;
}

function lookAtAccount({ settings: { project_key } }: JiraSite, permissions: JsonObject): Finding {
  const lacking = lackingIn(permissions, NEEDED);
  if (lacking.length === 0) return `In project ${project_key}.`;
  const failed = `The account lacks ${lacking.join(' and ')} in project ${project_key}; ask the project administrator to grant it.`;
  return { failed };
}

function lookAtChanges({ settings: { project_key } }: JiraSite, permissions: JsonObject): Finding {
  const lacking = lackingIn(permissions, [...OF_CHANGES.keys()]);
  if (lacking.length === 0) return `In project ${project_key}.`;
  const losses = lacking.map(permission => `${OF_CHANGES.get(permission)} (${permission})`);
  const warning =
    `The account lacks ${lacking.join(' and ')} in project ${project_key}: ${losses.join(', ')}. Ask the project ` +
    'administrator to grant it.';
  return { warning };
}

function lackingIn(permissions: JsonObject, wanted: readonly string[]): string[] {
  return wanted.filter(permission => asObject(permissions[permission])?.['havePermission'] !== true);
}

/** A placeholder for every field. Only the names of the fields matter here. */
const EVERYTHING = { project: {}, issuetype: {}, summary: '-', description: {}, labels: [], priority: {} };

function lookAtPriorities(allowed: readonly AllowedValue[], settings: JiraProjectSettings): Finding {
  const known = new Set(allowed.flatMap(each => [each.id, each.name.toLowerCase()]));
  const wanted = prioritiesOf(settings);
  const unknown = wanted.filter(each => !known.has(each.toLowerCase()));
  if (unknown.length === 0) return wanted.join(', ');
  const names = allowed.map(each => each.name).join(', ') || 'none';
  const warning =
    `The project has no priority ${unknown.join(', ')} for this issue type; it has ${names}. Issues of this ` +
    `severity are created without a priority.`;
  return { warning };
}

function lookAtField(fields: CreateMeta['fields'], field: string, otherwise: string): Finding {
  return fields.has(field)
    ? 'It is among the fields of the create screen.'
    : { warning: `It is not among the fields of the create screen. ${otherwise}` };
}
