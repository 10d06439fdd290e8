import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandName } from '../../libs/itsm/chat/commands/chat-answer.js';
import { ROOT } from '../architecture/cruise.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** The part of Slack's manifest that concerns this service (https://docs.slack.dev/reference/app-manifest). */
interface Manifest {
  display_information: { name: string; description: string };
  features: {
    bot_user: { display_name: string };
    slash_commands: { command: string; url: string; description: string; usage_hint: string }[];
  };
  oauth_config: { scopes: { bot: string[] } };
  settings: { interactivity: { is_enabled: boolean; request_url: string }; socket_mode_enabled: boolean };
}

// The tests below check the shape.
const manifest = JSON.parse(readFileSync(join(ROOT, 'deploy/slack/manifest.json'), 'utf8')) as Manifest;
const [command] = manifest.features.slash_commands;
const ORIGIN = 'https://governance.example.com';

describe('the manifest of the Slack app', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  it('names the command of a service with the default name', () => {
    expect(manifest.features.slash_commands.map(({ command: name }) => name)).toEqual([commandName('Service')]);
  });

  it.each([
    ['commands', () => command?.url],
    ['pressed buttons', () => manifest.settings.interactivity.request_url],
  ])('sends %s to a route of this service that verifies signatures', async (_what, urlOf) => {
    const url = new URL(urlOf() ?? '');
    expect(url.origin).toBe(ORIGIN);
    const call = app.as(null);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call('GET', url.pathname)).status).toBe(200);
    expect((await call('POST', url.pathname, 'team_id=T1&payload={}', form)).status).toBe(401);
  });

  it('asks only for the scopes that are used', () => {
    expect(manifest.oauth_config.scopes.bot).toEqual(['channels:history', 'chat:write', 'commands', 'groups:history']);
    expect([manifest.settings.interactivity.is_enabled, manifest.settings.socket_mode_enabled]).toEqual([true, false]);
  });

  it("keeps Slack's limits", () => {
    const { display_information: shown, features } = manifest;
    expect(shown.name.length).toBeLessThanOrEqual(35);
    expect(shown.description.length).toBeLessThanOrEqual(140);
    expect(features.bot_user.display_name.length).toBeLessThanOrEqual(80);
    expect(command?.command).toMatch(/^\/[a-z0-9_-]{1,31}$/);
    expect(command?.description.length).toBeLessThanOrEqual(2_000);
    expect(command?.usage_hint.length).toBeLessThanOrEqual(1_000);
  });
});
