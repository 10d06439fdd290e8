import { GovernanceModule, type Governance } from 'nest-llm-governance';

/** Compiles only if the types refuse every misspelt field, because an unused `@ts-expect-error` is an error. */
export async function misspelt(governance: Governance, orgId: string): Promise<void> {
  const asked = { user_email: 'eve@meter.example', provider: 'openai', model: 'gpt-4o' };
  await governance.decide(orgId, asked);
  // @ts-expect-error -- user_mail
  await governance.decide(orgId, { user_mail: 'eve@meter.example', provider: 'openai', model: 'gpt-4o' });
  // @ts-expect-error -- estimatd_input_tokens
  await governance.decide(orgId, { ...asked, estimatd_input_tokens: 10 });
  // @ts-expect-error -- trx
  await governance.decide(orgId, asked, { trx: undefined });

  const event = { id: 'e', ...asked, occurred_at: '2026-11-20T13:00:00Z', input_tokens: 1, output_tokens: 1 };
  await governance.recordUsage(orgId, [event]);
  // @ts-expect-error -- reasoning_token
  await governance.recordUsage(orgId, [{ ...event, reasoning_token: 1 }]);
  const { input_tokens, ...rest } = event;
  // @ts-expect-error -- input_token
  await governance.recordUsage(orgId, [{ ...rest, input_token: input_tokens }]);

  GovernanceModule.forRoot({ database: { url: 'postgres://db' }, keys: '' });
  // @ts-expect-error -- databse
  GovernanceModule.forRoot({ databse: { url: 'postgres://db' }, keys: '' });
}
