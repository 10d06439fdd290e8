import { apiOf, type Api } from './api.js';
import type { Person } from './people.js';
import { findUser } from './organization.js';

const DAY_MINUTES = 24 * 60;

/**
 * Creates one sign-in link per role. Returns the links as lines to print. Each link signs in one browser, and is valid
 * for a day.
 */
export async function signInLinks(
  origin: string,
  api: Api,
  persons: Record<'admin' | 'auditor' | 'member', Person>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const [role, person] of Object.entries(persons)) {
    const user = await findUser(api, person.email);
    const expires = new Date(Date.now() + DAY_MINUTES * 60_000).toISOString();
    const made = await api('POST', '/tokens', { name: `Demo, ${role}`, role, user_id: user, expires_at: expires });
    const as = apiOf(origin, made['token']);
    const { code } = await as('POST', '/sessions/links', { expires_in_minutes: DAY_MINUTES });
    lines.push(`${role.padEnd(8)} ${person.name.padEnd(16)} ${origin}/#link=${code}`);
  }
  return lines;
}
