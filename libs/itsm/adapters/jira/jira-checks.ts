import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { Check } from '../../adapter/itsm-adapter.port.js';
import { asObject, objectIn } from '../../adapter/platform-answer.js';
import { unknownProject, type AllowedValue, type CreateMeta } from './create-meta.js';
import { fitIssue } from './fit-issue.js';
import { prioritiesOf } from './jira-issue.js';
import { askJira } from './jira-request.js';
import { hidesProject, isUnknownUser, JiraTroubleError, troubleWithoutIssue } from './jira-trouble.js';
import type { JiraProjectSettings, JiraSite } from './jira-site.js';

/** Looks from the outside in, and ends at the first thing that is wrong. Reads only. */
export async function checkConnector(
  site: JiraSite,
  readMeta: (site: JiraSite) => Promise<CreateMeta>,
): Promise<Check[]> {
  const checks: Check[] = [];
  const steps: [string, () => Promise<Check[]>][] = [
    ['The account may create issues in the project', () => checkAccount(site)],
    ['The issue type exists', async () => checkFields(await readMeta(site), site.settings)],
  ];
  for (const [name, run] of steps) {
    try {
      checks.push(...(await run()));
    } catch (error) {
      if (!(error instanceof JiraTroubleError || error instanceof AdapterHttpError)) throw error;
      checks.push({ name, status: 'failed', message: error.message });
    }
    if (checks.some(({ status }) => status === 'failed')) break;
  }
  return checks;
}

/** A stranger is answered, too: with permissions that are not there. */
async function checkAccount(site: JiraSite): Promise<Check[]> {
  const { project_key } = site.settings;
  const answer = await askJira(site, {
    path: '/mypermissions',
    query: { projectKey: project_key, permissions: 'BROWSE_PROJECTS,CREATE_ISSUES' },
  });
  const name = 'The account may create issues in the project';
  const permissions = asObject(objectIn(answer)?.['permissions']);
  if (answer.status !== 200 || permissions === undefined || isUnknownUser(answer)) {
    const trouble = troubleWithoutIssue(answer, site);
    throw new JiraTroubleError(hidesProject(answer, trouble) ? unknownProject(site) : trouble);
  }
  const lacking = ['BROWSE_PROJECTS', 'CREATE_ISSUES'].filter(
    permission => asObject(permissions[permission])?.['havePermission'] !== true,
  );
  if (lacking.length === 0) return [{ name, status: 'passed', message: `In project ${project_key}.` }];
  const message =
    `The account lacks ${lacking.join(' and ')} in project ${project_key}; ask the project administrator to grant ` +
    `it.`;
  return [{ name, status: 'failed', message }];
}

function checkFields(meta: CreateMeta, settings: JiraProjectSettings): Check[] {
  const more = settings.fields ?? {};
  const { issueType, fields } = meta;
  const missing = Object.values(fitIssue({ fields: { ...more, ...EVERYTHING } }, meta).missing);
  const unlisted = Object.keys(more).filter(field => !fields.has(field));
  return [
    { name: 'The issue type exists', status: 'passed', message: `${issueType.name} (id ${issueType.id}).` },
    missing.length === 0
      ? { name: 'No other field is required', status: 'passed', message: 'Every required field is filled.' }
      : { name: 'No other field is required', status: 'failed', message: missing.join(' ') },
    ...unlisted.map((field): Check => ({
      name: `The field ${field} can be set`,
      status: 'warning',
      message: 'It is not on the create screen of this issue type: issues are created without a value in it.',
    })),
    checkPriorities(fields.get('priority')?.allowed ?? [], settings),
    checkListed(meta, 'labels', 'Labels are taken', 'Issues can be found by their description only.'),
    checkListed(meta, 'description', 'The description can be set', 'Issues contain the summary only.'),
  ];
}

/** The values do not matter: only which fields are there. */
const EVERYTHING = { project: {}, issuetype: {}, summary: '-', description: {}, labels: [], priority: {} };

function checkPriorities(allowed: readonly AllowedValue[], settings: JiraProjectSettings): Check {
  const name = 'The priorities exist';
  const known = new Set(allowed.flatMap(each => [each.id, each.name.toLowerCase()]));
  const wanted = prioritiesOf(settings);
  const unknown = wanted.filter(each => !known.has(each.toLowerCase()));
  if (unknown.length === 0) return { name, status: 'passed', message: wanted.join(', ') };
  const names = allowed.map(each => each.name).join(', ') || 'none';
  const message =
    `The project has no priority ${unknown.join(', ')} for this issue type; it has ${names}. Issues of this ` +
    `severity are created without a priority.`;
  return { name, status: 'warning', message };
}

function checkListed({ fields }: CreateMeta, field: string, name: string, otherwise: string): Check {
  return fields.has(field)
    ? { name, status: 'passed', message: 'It is among the fields of the create screen.' }
    : { name, status: 'warning', message: `It is not among the fields of the create screen. ${otherwise}` };
}
