import { newRequest } from '../../e2e/devices/devices.support.js';
import type { Api } from '../support/fill.js';

/**
 * Adds data that the demo lacks: a waiting request, devices, a limit, a price, a chat, a provider, and a connector that
 * opens tickets only on demand.
 */
export async function setStage(api: Api): Promise<void> {
  const users = (await api('GET', '/users?limit=100'))['items'] as { id: string; role: string }[];
  const contractor = users.find(({ role }) => role === 'contractor');
  await api('POST', '/decisions', { user_id: contractor?.id, provider: 'openai', model: 'gpt-4o' });
  for (const [at, name] of ['Laptop 17', 'Build server', 'Laptop of the night shift'].entries()) {
    const { token } = await api('POST', '/devices/enrollments', { user_id: users[at * 7 + 3]?.id, name });
    await api('POST', '/devices/enroll', { token, csr: (await newRequest()).csr });
  }
  const limit = { scope: 'organization', split_by: 'user', requests_per_minute: 60, concurrent_requests: 8 };
  await api('POST', '/limits', { ...limit, name: 'Fair use' });
  await api('PUT', '/prices', {
    ...{ provider: 'openai', model: 'gpt-4o-batch*', input_per_million_usd: 1.25, output_per_million_usd: 5 },
  });
  await api('PUT', '/prices', {
    ...{ provider: 'openai', model: 'gpt-4o-mini-batch*', input_per_million_usd: 0.075, output_per_million_usd: 0.3 },
  });
  await api('PUT', '/gateway/providers/openai', {
    ...{ kind: 'openai', base_url: 'https://api.openai.com', secrets: { api_key: 'not-a-real-key' } },
  });
  await api('POST', '/chat/workspaces', {
    ...{ platform: 'slack', workspace: 'T024BE7LD', signing_secret: 'not-a-real-secret-of-thirty-two-c' },
    notification_secret: 'xoxb-not-a-real-token',
    notifications: { incidents: { channel: 'C024BE91L', min_severity: 'critical' } },
  });
  await api('POST', '/itsm/connectors', {
    ...{ kind: 'jira', name: 'Escalations', routing: { min_severity: 'critical' } },
    settings: { instance_url: 'https://acme.atlassian.net', project_key: 'ESC', issue_type: 'Task' },
    secrets: { email: 'bot@example.com', api_token: 'not-a-real-token' },
  });
}
