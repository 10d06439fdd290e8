import type { KeptToken } from './first-token.js';

/** What the app prints when it listens. */
export interface Announcement {
  url: string;
  referencePath: string;
  orgId: string;
  /** A token that was made just now, and where it was put. */
  kept: KeptToken | undefined;
  /** Why the admin token of the settings is not accepted. */
  problem: string | undefined;
}

/** The lines that tell the operator where the app is and how to sign in. */
export function announcementOf({ url, referencePath, orgId, kept, problem }: Announcement): string {
  const other = problem === undefined ? 'as given before; another one:' : 'not accepted; see the warning. To make one:';
  return [
    '',
    '  nest-llm-governance is running',
    '',
    `  API            ${url}/v1`,
    `  API reference  ${url}/${referencePath}`,
    `  OpenAPI        ${url}/openapi.json`,
    `  Organization   ${orgId}`,
    `  Admin token    ${kept?.shown ?? other}`,
    `                 ${kept?.hint ?? tokenCommand(orgId)}`,
    '',
    '',
  ].join('\n');
}

/** A command that works as it stands here and makes an admin token. */
export function tokenCommand(orgId: string, folder = import.meta.dirname): string {
  const program = /[\\/]node_modules[\\/]/.test(folder) ? 'npx nest-llm-governance' : 'npm run -s cli --';
  return `${program} token create --role admin --org ${orgId}`;
}
