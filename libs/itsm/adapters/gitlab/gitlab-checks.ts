import { AdapterHttpError } from '../../adapter/adapter-http.js';
import type { Check } from '../../adapter/itsm-adapter.port.js';
import { asObject, asText, objectIn, PlatformAnswerError } from '../../adapter/platform-answer.js';
import { askGitLab, readGitLab, readingError } from './gitlab-request.js';
import type { GitLabContext } from './gitlab-settings.js';

const TOKEN = 'The access token may create issues';
const PROJECT = 'The project takes issues';
const ROLE = 'The account may set labels';
const SEEN = 'Only members see the issues';

/** Roles as numbers (https://docs.gitlab.com/api/access_requests/): Planner, the lowest that sets labels. */
const PLANNER = 15;
const MONTH_MS = 30 * 86_400_000;

/** Looks from the outside in, and ends at the first thing that is wrong. Reads only. */
export async function checkConnector(context: GitLabContext): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, look] of [
    [TOKEN, checkToken],
    [PROJECT, checkProject],
  ] as const) {
    try {
      checks.push(...(await look(context)));
    } catch (error) {
      if (!(error instanceof PlatformAnswerError || error instanceof AdapterHttpError)) throw error;
      return [...checks, { name, status: 'failed', message: error.message }];
    }
    if (checks.some(({ status }) => status === 'failed')) break;
  }
  return checks;
}

async function checkToken(context: GitLabContext): Promise<Check[]> {
  const answer = await askGitLab(context, '//personal_access_tokens/self');
  // Instances before 15.5 do not say; the project shows whether they take the token.
  if (answer.status === 404 && objectIn(answer)?.['error'] === '404 Not Found') return [];
  const { scopes, expires_at: ends } = (answer.status === 200 && objectIn(answer)) || {};
  if (!Array.isArray(scopes)) throw readingError(answer, context.clock);
  if (!scopes.includes('api')) {
    return [{ name: TOKEN, status: 'failed', message: 'It lacks the scope api: create a token that has it.' }];
  }
  const end = asText(ends);
  const isSoon = end !== undefined && Date.parse(end) - context.clock.now().getTime() < MONTH_MS;
  const message = end === undefined ? 'It has the scope api.' : `It has the scope api, and expires on ${end}.`;
  return [{ name: TOKEN, status: isSoon ? 'warning' : 'passed', message }];
}

async function checkProject(context: GitLabContext): Promise<Check[]> {
  const answer = await readGitLab(context, '');
  const project = objectIn(answer);
  if (asText(project?.['path_with_namespace']) === undefined) throw readingError(answer, context.clock);
  const { archived, issues_access_level: issues } = project ?? {};
  const visibility = asText(project?.['visibility']) ?? 'private';
  if (archived === true || issues === 'disabled') {
    const message = archived === true ? 'It is archived: restore it.' : 'Issues are disabled in its settings.';
    return [{ name: PROJECT, status: 'failed', message }];
  }
  const given = asObject(project?.['permissions']);
  const access = [given?.['project_access'], given?.['group_access']];
  const roles = access.map(granted => Number(asObject(granted)?.['access_level'] ?? 0));
  const isGuest = given !== undefined && Math.max(...roles) < PLANNER;
  const isOpen = context.settings.visibility === 'members' && visibility !== 'private';
  return [
    { name: PROJECT, status: 'passed', message: asText(project?.['path_with_namespace']) ?? '' },
    isGuest
      ? { name: ROLE, status: 'warning', message: 'A guest’s labels are left out: give the account the role Reporter.' }
      : { name: ROLE, status: 'passed', message: 'Its role allows it, or is not shown.' },
    isOpen
      ? {
          name: SEEN,
          status: 'warning',
          message: `The project is ${visibility}: set the visibility confidential.`,
        }
      : { name: SEEN, status: 'passed', message: 'By the visibility of the connector and of the project.' },
  ];
}
