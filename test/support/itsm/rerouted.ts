import { jest } from '@jest/globals';
import { EgressClient, type EgressRequest } from '#egress';
import type { TestApp } from '../test-app.js';

/**
 * Sends an app's calls for some hosts to emulators, over HTTPS. If a host is set several times, its last origin counts.
 * @returns the URLs that were called, in order
 */
export function reroute(app: TestApp, hosts: Readonly<Record<string, () => string>>): string[] {
  const egress = app.app.get(EgressClient);
  const send = egress.send.bind(egress);
  const called: string[] = [];
  jest.spyOn(egress, 'send').mockImplementation((request: EgressRequest) => {
    const url = new URL(request.url);
    const origin = hosts[url.host];
    called.push(request.url);
    return send(origin ? { ...request, url: `${origin()}${url.pathname}${url.search}` } : request);
  });
  return called;
}
