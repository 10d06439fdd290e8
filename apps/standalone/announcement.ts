import type { KeptToken } from './first-token.js';

/** Data that the app prints when it begins to listen. */
export interface Announcement {
  url: string;
  referencePath: string;
  orgId: string;
  /** The new admin token, and the place where it was stored. */
  kept: KeptToken | undefined;
  /** Reason why the admin token in the settings is not accepted. */
  problem: string | undefined;
}

/** The lines that tell the operator the address of the app and how to sign in. */
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

/**
 * The announcement as one line for a JSON log. Other people may read the log. Therefore, the line never contains the
 * token, but the name of the file with the token, or the command that creates one.
 */
export function announcementLine(announcement: Announcement, about: { now: Date; version: string }): string {
  const { url, referencePath, orgId, kept, problem } = announcement;
  const line = {
    time: about.now.toISOString(),
    level: 'info',
    version: about.version,
    pid: process.pid,
    context: 'Governance',
    message: `nest-llm-governance is running at ${url}`,
    api: `${url}/v1`,
    api_reference: `${url}/${referencePath}`,
    openapi: `${url}/openapi.json`,
    org_id: orgId,
    admin_token: kept?.shown ?? (problem === undefined ? 'as given before' : 'not accepted; see the warning'),
    admin_token_file: kept?.file ?? null,
    admin_token_hint: kept?.hint ?? `Make another one: ${tokenCommand(orgId)}`,
  };
  return `${JSON.stringify(line)}\n`;
}

/** A command that creates an admin token. The operator can run it in this installation as it is. */
export function tokenCommand(orgId: string, folder = import.meta.dirname): string {
  const program = /[\\/]node_modules[\\/]/.test(folder) ? 'npx nest-llm-governance' : 'npm run -s cli --';
  return `${program} token create --role admin --org ${orgId}`;
}
