import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload-emulated-hosts.mjs')).href;

/**
 * Settings of an app that resolve names such as `slack.com` to emulators on this machine.
 * @param ports the port of each emulator, by host name
 */
export function emulatedHosts(ports: Readonly<Record<string, number>>): Record<string, string> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, EMULATED_HOSTS: JSON.stringify(ports) };
}
