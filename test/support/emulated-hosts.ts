import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload-emulated-hosts.mjs')).href;

/** Settings of an app for which names such as `slack.com` are emulators on this machine. @param ports by name */
export function emulatedHosts(ports: Readonly<Record<string, number>>): Record<string, string> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, EMULATED_HOSTS: JSON.stringify(ports) };
}
