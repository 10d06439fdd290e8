import type { AdapterResponse } from '../../adapter/adapter-http.js';
import * as form from '../../adapter/form.js';
import type { AdapterContext } from '../../adapter/itsm-adapter.port.js';
import { PlatformApi, withoutSlash } from '../../adapter/platform-api.js';
import { asObject, asText, fieldTexts, objectIn, type Reason } from '../../adapter/platform-answer.js';

export const SETTINGS = form.of(['instance_url', 'project'], {
  instance_url: form.url({
    title: 'Instance URL',
    description: 'https://gitlab.com, or the URL of your instance, such as https://example.com/gitlab.',
    path: true,
  }),
  project: form.text('Project', 'The id of the project, or its full path, such as acme/security/incidents.', {
    maxLength: 500,
    pattern: '^([1-9][0-9]*|[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+)$',
  }),
  visibility: form.choice(
    ['confidential', 'members'],
    'Visibility',
    'Who sees the issues. “confidential”, the default: members from the role Planner on. “members”: everybody who ' +
      'sees the project.',
  ),
  priorities: form.priorities(
    'A label for each severity, such as priority::1, beside the label that is the severity.',
    '^[^,]*[^,\\s][^,]*$',
  ),
  fields: form.fields({
    description: 'Further attributes of the issues API as JSON, such as {"assignee_ids": [42], "milestone_id": 7}.',
    reserved: ['title', 'description', 'labels', 'add_labels', 'confidential', 'iid', 'created_at'],
  }),
});

export const SECRETS = form.of(['access_token'], {
  access_token: form.token(
    'Access token',
    'A project access token with the role Reporter and the scope api. It expires within a year.',
    { minLength: 6 },
  ),
});

export type Settings = form.Values<typeof SETTINGS>;
export type Secrets = form.Values<typeof SECRETS>;
export type Context = AdapterContext<Settings, Secrets>;

/** Messages of GitLab that have another meaning than their status. */
const MEANINGS = [
  [/moved (permanently|projects)/i, 'config', 'The project was moved or renamed: enter its new path, or its id.'],
  [/insufficient_scope/i, 'forbidden', 'The access token lacks the scope api: create one that has it.'],
  [/recognized as spam/i, 'config', 'GitLab takes the issue for spam: have an administrator allow the account.'],
] as const;

/** The API of GitLab for a connector. @param below prefix of all paths. Default: the connector's project */
export function apiOf(
  { settings, secrets, http, clock }: Context,
  below = `/projects/${encodeURIComponent(settings.project)}`,
): PlatformApi {
  const base = `${withoutSlash(settings.instance_url)}/api/v4${below}`;
  const headers = { 'private-token': secrets.access_token };
  return new PlatformApi({ name: 'GitLab', http, clock, base, headers, reasonIn });
}

/**
 * GitLab sends errors in `message`, as text or by attribute, or in `error`
 * (https://docs.gitlab.com/api/rest/troubleshooting/).
 */
function reasonIn(answer: AdapterResponse): Reason {
  const { message, error, error_description: more } = objectIn(answer) ?? {};
  const { error: inner, ...byName } = asObject(message) ?? {};
  const fields = fieldTexts(byName);
  if (Object.keys(fields).length > 0) return { fields };
  const said = [message, inner, error, more].flatMap(text => asText(text) ?? []).join(': ');
  const [, code, meaning] = MEANINGS.find(([words]) => words.test(said)) ?? [];
  if (code !== undefined) return { code, message: meaning };
  const [, name, what] = /^(?:400 \(Bad request\) )?"?(\w+)"? (not given|is .+|does not .+)$/i.exec(said) ?? [];
  return { said, ...(name !== undefined && what !== undefined && { fields: { [name]: what } }) };
}
