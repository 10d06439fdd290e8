import { stringify } from 'csv-stringify/sync';
import type { Api } from './api.js';
import type { Person } from './people.js';
import type { Platforms } from './platforms.js';

export const TIME_ZONE = 'Europe/Berlin';

/** Creates people, policies, webhooks and connectors, as an operator would. */
export async function setUp(api: Api, people: readonly Person[], platforms: Platforms): Promise<void> {
  await api('PATCH', '/organization', { name: 'Acme Europe', time_zone: TIME_ZONE });
  await api('POST', '/users/import', peopleAsCsv(people));
  for (const policy of POLICIES) await api('POST', '/policies', policy);
  await addWebhooks(api, platforms);
  await addConnectors(api, platforms);
}

/** The id of a person. */
export async function findUser(api: Api, email: string): Promise<string> {
  let cursor = '';
  do {
    const page = await api('GET', `/users?limit=100${cursor}`);
    const found = page['items'].find((user: { email: string }) => user.email === email);
    if (found) return found.id;
    cursor = page['next_cursor'] ? `&cursor=${encodeURIComponent(page['next_cursor'])}` : '';
  } while (cursor !== '');
  throw new Error(`no user has the e-mail address ${email}`);
}

function peopleAsCsv(people: readonly Person[]): string {
  const rows = people.map(({ email, name, department, role, country }) => [email, name, department, role, country]);
  return stringify([['email', 'name', 'department', 'role', 'attributes.country'], ...rows]);
}

const POLICIES = [
  {
    name: 'No image models outside Marketing',
    description: 'Rights to generated images are not settled.',
    model: 'image-*',
    action: 'block',
    conditions: { department: { not_in: ['Marketing'] } },
  },
  {
    name: 'Contractors ask for the large model',
    description: 'Their contracts say which data they may send.',
    model: 'gpt-4o',
    action: 'require_approval',
    conditions: { role: { eq: 'contractor' } },
  },
  {
    name: 'DeepSeek is not approved',
    description: 'The review by Legal is under way.',
    model: 'deepseek*',
    action: 'block',
  },
  {
    name: 'Tell us when Finance asks a reasoning model',
    model: 'o3*',
    action: 'alert',
    conditions: { department: { in: ['Finance'] } },
  },
  {
    name: 'Large model only for Marketing and Legal',
    description: 'Waits for the agreement of Sales and Research.',
    model: 'gpt-4o',
    action: 'block',
    conditions: { department: { not_in: ['Marketing', 'Legal'] } },
    enabled: false,
  },
  {
    name: 'Test of names: <b>bold</b> & 🚨 تجربة',
    description: 'A name that a page must show as text.',
    model: 'test-markup-*',
    action: 'alert',
  },
];

async function addWebhooks(api: Api, { endpoints }: Platforms): Promise<void> {
  const webhooks = [
    { url: `${endpoints.siem.url}siem/events`, description: 'Security monitoring' },
    { url: `${endpoints.chargeback.url}chargeback`, description: 'Chargeback of Finance' },
    { url: `${endpoints.lake.url}lake/ingest`, description: 'Data lake (slow)', events: ['policy_violation'] },
    { url: `${endpoints.relay.url}relay`, description: 'Former chat relay', enabled: false },
  ];
  for (const webhook of webhooks) await api('POST', '/webhooks', webhook);
}

async function addConnectors(api: Api, { jira, serviceNow }: Platforms): Promise<void> {
  await api('POST', '/itsm/connectors', {
    kind: 'jira',
    name: 'Jira of the security team',
    settings: jira.settings,
    secrets: jira.account,
  });
  await api('POST', '/itsm/connectors', {
    kind: 'servicenow',
    name: 'Service desk',
    settings: { instance_url: serviceNow.origin, assignment_group: 'AI Governance' },
    secrets: { username: 'svc-governance', password: 'the-old-one' },
  });
}
