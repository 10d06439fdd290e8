import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SEVERITIES } from '#core';
import type { PlatformAnswer } from 'nest-llm-governance/testing';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import { startSite, type Site } from '../../emulators/jira/site.js';
import { startInstance, type Instance } from '../../emulators/servicenow/instance.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED, until } from '../../support/webhooks.js';
import { stageOn } from '../incidents.support.js';
import { connect } from './tickets.support.js';

const ACCOUNT = { username: 'svc-governance', password: 'a password of this test' };

let authority: Authority;
let app: TestApp;
let servicenow: Instance;
let jira: Site;
let distrust: () => void;

beforeAll(async () => {
  authority = await makeAuthority();
  distrust = trustInThisProcess(authority.caPem);
  [servicenow, jira, app] = await Promise.all([
    startInstance({ authority, account: ACCOUNT }),
    startSite({ authority }),
    startTestApp(LOOPBACK_ALLOWED),
  ]);
});

afterAll(async () => {
  await app?.close();
  await servicenow?.close();
  await jira?.close();
  distrust?.();
});

describe('the built-in platforms', () => {
  it('spec 6.5: severity gives urgency and impact on kind A and priority on kind B', async () => {
    const stage = await stageOn(app);
    const a = await connect(stage.call, {
      ...{ kind: 'servicenow', name: 'A', settings: { instance_url: servicenow.origin }, secrets: ACCOUNT },
    });
    const b = await connect(stage.call, {
      ...{ kind: 'jira', name: 'B', settings: jira.settings, secrets: jira.account },
    });
    for (const severity of SEVERITIES) {
      await stage.call('PUT', `/v1/policies/${stage.policyId}`, { severity });
      await stage.violate(undefined, { model: `model-${severity}` });
    }
    const tickets = await until(async () => {
      const { body } = await stage.call('GET', '/v1/itsm/tickets?sync_state=created');
      return body.items.length === 8 && (body.items as Answer['body'][]);
    });
    const bodyOf = (requests: readonly { json: unknown }[], severity: string): Answer['body'] =>
      requests.map(({ json }) => json).find(body => JSON.stringify(body).includes(`model-${severity}`));
    const posted = servicenow.received.filter(({ method }) => method === 'POST');
    const created = jira.requestsOf('create');
    expect([posted.length, created.length]).toEqual([4, 4]);
    expect(
      SEVERITIES.map(severity => {
        const [incident, issue] = [bodyOf(posted, severity), bodyOf(created, severity)];
        return [severity, incident?.['urgency'], incident?.['impact'], issue?.['fields'].priority.id];
      }),
    ).toEqual([
      ['critical', '1', '1', '1'],
      ['high', '2', '2', '2'],
      ['medium', '2', '3', '3'],
      ['low', '3', '3', '4'],
    ]);
    const issue = bodyOf(created, 'high')?.['fields'];
    expect(issue.labels).toEqual(expect.arrayContaining(['service', 'ai-policy', 'high']));
    expect(issue.summary).toMatch(/^\[Service\] policy_violation: Blocked: openai\/model-high for .*Large models/);
    expect(bodyOf(posted, 'high')?.['short_description']).toMatch(
      /^\[Service\] policy_violation: Blocked: openai\/model-high for .*Large models/,
    );
    const shown = (connector: Answer['body']) =>
      tickets.filter(({ connector_id: id }) => id === connector.id).map(({ external_ticket_id: id }) => id as string);
    expect(shown(a).toSorted()).toEqual(servicenow.incidents.map(({ number }) => String(number)).toSorted());
    expect(shown(b).toSorted()).toEqual(jira.issues.all.map(({ key }) => key).toSorted());
    expect(servicenow.complaints).toEqual([]);
  });

  it('get no request for a preview', async () => {
    const stage = await stageOn(app);
    await stage.violate();
    const [incident] = await stage.incidents();
    const connector = await connect(stage.call, {
      ...{ kind: 'jira', settings: jira.settings, secrets: jira.account },
    });
    const before = jira.received.length;
    const preview = await stage.call('POST', `/v1/incidents/${incident.id}/tickets`, {
      ...{ connector_id: connector.id, preview: true },
    });
    expect(preview.body.body.fields).toMatchObject({ project: { key: 'SEC' }, priority: { name: 'High' } });
    expect(jira.received.length).toBe(before);
  });

  const refusal = (message: string): PlatformAnswer => ({
    ...{
      status: 400,
      json: { error: { message, detail: null }, errorMessages: [message], errors: { [message]: message } },
    },
  });

  it('hide secrets that they repeat, wherever the text is truncated and however it is wrapped', async () => {
    const stage = await stageOn(app);
    const password = 'Two  blanks\u2028 in-Zq7Lm3Xv9Bn1Ws5Ed8Rf2-0123456789';
    const instance = await startInstance({
      authority,
      account: { username: 'svc-governance', password },
      isStrict: false,
    });
    const a = await connect(stage.call, {
      ...{ kind: 'servicenow', name: 'A', settings: { instance_url: instance.origin } },
      secrets: { username: 'svc-governance', password },
    });
    const b = await connect(stage.call, {
      ...{ kind: 'jira', name: 'B', settings: jira.settings, secrets: jira.account },
    });
    for (const at of [470, 440, 0]) {
      for (const [platform, connector, secret] of [
        [instance, a, password],
        [jira, b, jira.account.api_token],
      ] as const) {
        const said = `${'x'.repeat(at)} ${secret} ${Buffer.from(`me:${secret}`).toString('base64')}`;
        platform.interfere(({ method, url }) =>
          method === 'POST' && !url.includes('/search/') ? { kind: 'answer', answer: refusal(said) } : undefined,
        );
        const tested = await stage.call('POST', `/v1/itsm/connectors/${connector.id}/test`);
        expect(tested.body.ticket).toMatchObject({
          sync_state: 'rejected',
          error: expect.stringContaining('x'.repeat(at)),
        });
        const listed = await stage.call('GET', `/v1/itsm/connectors/${connector.id}`);
        for (let from = 0; from + 8 <= secret.length; from++) {
          expect(tested.text + listed.text).not.toContain(JSON.stringify(secret.slice(from, from + 8)).slice(1, -1));
        }
      }
    }
    jira.intercept();
    await instance.close();
  });

  it('have no ticket key with a secret or unprintable characters', async () => {
    const stage = await stageOn(app);
    const a = await connect(stage.call, {
      ...{ kind: 'servicenow', name: 'A', settings: { instance_url: servicenow.origin }, secrets: ACCOUNT },
    });
    const number = `\u202eINC\n\u001b[31m7 ${ACCOUNT.password}`;
    const sys_id = ACCOUNT.password;
    servicenow.interfere(({ method }) =>
      method === 'POST'
        ? { kind: 'done, but answer', answer: { status: 201, json: { result: { sys_id, number } } } }
        : undefined,
    );
    const { body } = await stage.call('POST', `/v1/itsm/connectors/${a.id}/test`);
    servicenow.intercept();
    expect(body.ticket).toMatchObject({ sync_state: 'created', external_ticket_id: 'INC [31m7 [hidden]', url: null });
    const stored = await app.database.asOwner(`select * from governance.tickets where connector_id = '${a.id}'`);
    expect(JSON.stringify(stored)).not.toContain(ACCOUNT.password);
  });
});
