import type { Api } from './api.js';
import type { Person } from './cast.js';
import { findUser } from './organization.js';

const DAY = 86_400_000;

/** A way in for each role, as lines to print. The tokens end after a day. */
export async function waysIn(api: Api, people: Record<'admin' | 'auditor' | 'member', Person>): Promise<string[]> {
  const lines: string[] = [];
  for (const [role, person] of Object.entries(people)) {
    const user = await findUser(api, person.email);
    const expires = new Date(Date.now() + DAY).toISOString();
    const made = await api('POST', '/tokens', { name: `Demo, ${role}`, role, user_id: user, expires_at: expires });
    lines.push(`${role.padEnd(8)} ${person.name.padEnd(20)} ${made['token']}`);
  }
  return lines;
}
