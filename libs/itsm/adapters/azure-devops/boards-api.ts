import type { AdapterResponse } from '../../adapter/adapter-http.js';
import * as form from '../../adapter/form.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { basicAuth, PlatformApi } from '../../adapter/platform-api.js';
import { asObject, asText, objectIn, quoted, type Reason } from '../../adapter/platform-answer.js';

/** Fields by their reference names. The form of a Bug shows the steps to reproduce instead of the description. */
export const FIELD = {
  ...{ title: 'System.Title', description: 'System.Description', steps: 'Microsoft.VSTS.TCM.ReproSteps' },
  ...{ tags: 'System.Tags', priority: 'Microsoft.VSTS.Common.Priority', history: 'System.History' },
  ...{ state: 'System.State', reason: 'System.Reason', type: 'System.WorkItemType', project: 'System.TeamProject' },
  ...{ changedBy: 'System.ChangedBy', changedAt: 'System.ChangedDate' },
} as const;

/** Rules of Azure DevOps for names: no dot, space or underscore at the beginning, and no slash. */
const NAME = String.raw`^[^\s._/\\][^/\\]*$`;

export const SETTINGS = form.of(['organization_url', 'project', 'work_item_type'], {
  organization_url: form.url({
    title: 'Organization URL',
    description:
      'The URL of your organization, such as https://dev.azure.com/acme. For Azure DevOps Server: of the collection.',
    path: true,
  }),
  project: form.text('Project', 'Name of the project, or its id.', { maxLength: 64, pattern: NAME }),
  work_item_type: form.text('Work item type', 'Such as Bug; Issue if the project follows the process Basic.', {
    maxLength: 128,
    pattern: NAME,
  }),
  priorities: form.priorities('The priority of each severity, from 1 to 4. Defaults: 1, 2, 3 and 4.', '^[1-4]$'),
  fields: form.fields({
    description:
      'Values of further fields as JSON, by their reference names, such as {"System.AreaPath": "Acme", ' +
      '"Custom.Environment": "production"}. Use it for fields that the process requires.',
    reserved: Object.values(FIELD),
    values: { type: ['string', 'number', 'boolean'], maxLength: 4_000 },
  }),
});

export const SECRETS = form.of(['personal_access_token'], {
  personal_access_token: form.token(
    'Personal access token',
    'A token with the scope Work Items (Read & write). It expires within a year.',
  ),
});

export type Settings = form.Values<typeof SETTINGS>;
export type Secrets = form.Values<typeof SECRETS>;
export type Context = AdapterContext<Settings, Secrets>;

const SIGN_IN =
  'Azure DevOps does not accept the personal access token: it is wrong, expired or revoked, belongs to another ' +
  'organization, or lacks the scope Work Items (Read & write).';

export function apiOf({ settings, secrets, http, clock }: Context): PlatformApi {
  const headers = {
    authorization: basicAuth('', secrets.personal_access_token),
    // Without this header, Azure DevOps answers a wrong token with a sign-in page.
    'x-tfs-fedauthredirect': 'Suppress',
  };
  const query = { 'api-version': '7.1' };
  const base = settings.organization_url;
  return new PlatformApi({ name: 'Azure DevOps', http, clock, base, headers, query, reasonIn });
}

/**
 * The path of a resource.
 * @param project the project; without it, work items of all projects are found, including moved ones
 */
export function pathOf(path: string, project?: string): string {
  return `${project === undefined ? '' : `/${encodeURIComponent(project)}`}/_apis/wit/${path}`;
}

/** The `content-type` of a JSON Patch document (https://www.rfc-editor.org/rfc/rfc6902). */
export const PATCH = { 'content-type': 'application/json-patch+json' };

/**
 * Whether the platform itself reports that the resource is missing. In every language, its message begins with the same
 * code.
 */
export function isMissing(answer: AdapterResponse, code: 'TF401232' | 'VS402323'): boolean {
  return answer.status === 404 && asText(objectIn(answer)?.['message'])?.startsWith(code) === true;
}

/**
 * Extracts the errors of fields, by reference name: violated rules, missing fields, and unknown areas and iterations.
 */
function reasonIn(answer: AdapterResponse): Reason {
  // Status 203 comes with the sign-in page.
  if (answer.status === 401 || answer.status === 203) return { code: 'auth', message: SIGN_IN };
  const { message, customProperties } = objectIn(answer) ?? {};
  const rules = asObject(customProperties)?.['RuleValidationErrors'];
  const refused = (Array.isArray(rules) ? rules : []).map(asObject).map(rule => {
    return [asText(rule?.['fieldReferenceName']), asText(rule?.['errorMessage']) ?? 'is not accepted'] as const;
  });
  const said = asText(message) ?? '';
  const [, unknown, wrongTree] = /^TF51535: .*? ([\w.]+?)\.?$|^TF401347: .*'([^']+)'/s.exec(said) ?? [];
  const all = [...refused, [unknown ?? wrongTree, said] as const];
  const fields = all.flatMap(([name, text]) => (name === undefined ? [] : [[quoted(name), quoted(text)] as const]));
  return { said, fields: Object.fromEntries(fields) };
}
