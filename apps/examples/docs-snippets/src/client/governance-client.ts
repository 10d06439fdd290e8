import { ApiError, createClient, iterate, type Client } from 'nest-llm-governance/client';

/** A client for one organization. The access token determines the organization. */
export function connect(baseUrl: string, readToken: () => Promise<string>): Client {
  return createClient({ baseUrl, token: readToken });
}

/**
 * Requests a decision before a call to a provider. If you pass a `key`, a repeated request with this key gets the same
 * decision.
 */
export async function mayCall(client: Client, user_email: string, key: string): Promise<boolean> {
  const body = { user_email, provider: 'openai', model: 'gpt-4o-mini', idempotency_key: key };
  const { allowed } = await client.decide({ body }, { signal: AbortSignal.timeout(2_000) });
  return allowed;
}

/** Reads the addresses of all users, page by page. */
export async function everybody(client: Client): Promise<string[]> {
  const emails: string[] = [];
  for await (const user of iterate(client.listUsers, { limit: 100 })) emails.push(user.email);
  return emails;
}

/** The name of a policy; undefined if the policy does not exist. */
export async function nameOfPolicy(client: Client, id: string): Promise<string | undefined> {
  try {
    return (await client.getPolicy({ id })).name;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
}
