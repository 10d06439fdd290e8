import type { Stock } from './check/evidence.js';
import type { Testbed } from './testbed/testbed.js';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Records the tickets and calls of the emulators, the reports, and whether the audit log is valid. */
export async function takeStock(testbed: Testbed): Promise<Omit<Stock, 'left'>> {
  const { jira, serviceNow, provider, organization, orgId } = testbed;
  const audit = await testbed.cli(['audit', 'verify', '--org', orgId, '--json']);
  return {
    orgId,
    databaseUrl: testbed.database.url,
    secrets: organization.secrets,
    gatewayUsers: organization.people.callers,
    audit: { code: audit.code ?? -1, said: audit.stdout || audit.stderr },
    tickets: [
      ...jira.issues.all.map(({ key, properties }) => ({ platform: 'jira', name: key, key: keyIn(properties) })),
      ...serviceNow.incidents.map(({ number, correlation_id: key }) => {
        return { platform: 'servicenow', name: String(number), key: String(key) };
      }),
    ],
    provided: provider.served.map(({ body, status, promptTokens, outputTokens, sentTokens, usageSent, outcome }) => {
      return { call: callIn(body), status, promptTokens, outputTokens, sentTokens, usageSent, outcome };
    }),
    usage: await allPages(testbed, '/v1/usage?period=monthly&limit=100'),
    breakdown: await get(testbed, '/v1/usage/breakdown?group_by=user&period=monthly'),
    budgets: await allPages(testbed, '/v1/budgets?limit=100'),
    overview: await get(testbed, '/v1/overview'),
  };
}

async function allPages(testbed: Testbed, path: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await get(testbed, cursor === undefined ? path : `${path}&cursor=${encodeURIComponent(cursor)}`);
    // A page of a list.
    items.push(...(page['items'] as Record<string, unknown>[]));
    cursor = page['next_cursor'] as string | null;
  }
  return items;
}

async function get(testbed: Testbed, path: string): Promise<Record<string, unknown>> {
  const url = testbed.replicas.find(replica => replica.url !== undefined)?.url ?? '';
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${testbed.adminToken}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

function keyIn(value: unknown): string {
  return UUID.exec(JSON.stringify(value) ?? '')?.[0] ?? '';
}

function callIn(body: unknown): string {
  const { messages = [] } = Object(body) as { messages?: readonly { content?: string }[] };
  return messages[0]?.content ?? '';
}
