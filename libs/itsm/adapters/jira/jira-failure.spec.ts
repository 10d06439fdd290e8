import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import { late, refuses, type FaultName } from '../../../../test/support/itsm/platform-faults.js';
import { draftOf, SiteStage } from '../../../../test/emulators/jira/site-stage.js';

describe('JiraAdapter', () => {
  const stage = new SiteStage();
  const { begin, contextOf, create, settingsWith } = stage;

  describe('with a failing Jira', () => {
    it.each([
      ['lost answer', 1],
      ['answer cut short', 1],
      ['success without id', 1],
      ['error after success', 1],
      ['cut request', 0],
      ['unavailable page', 0],
    ] as const)('reports an unknown outcome of a create: %s', async (fault: FaultName, issues) => {
      await begin();
      stage.site.meets('create', fault);
      expect(await create()).toMatchObject({ kind: 'uncertain', message: expect.stringMatching(/^[A-Z].*\.$/) });
      expect(stage.site.issues.all).toHaveLength(issues);
      expect(stage.site.requestsOf('create')).toHaveLength(1);
    });

    it('reports an unknown outcome of a create without an answer in time', async () => {
      await begin();
      await create();
      stage.site.meets('create', 'no answer');
      expect(await create(draftOf(), contextOf({}, 200))).toMatchObject({ kind: 'uncertain' });
      expect(stage.site.issues.all).toHaveLength(2);
    });

    it('waits for a slow Jira', async () => {
      await begin();
      stage.site.meets('create', late(300));
      expect(await create()).toMatchObject({ kind: 'created' });
    });

    it.each([
      ['no more for now', {}],
      ['no more for 7 s', { retryAfterMs: 7_000 }],
    ] as const)('retries after 429: %s', async (fault, wait) => {
      await begin();
      stage.site.meets('create', fault);
      expect(await create()).toEqual({ kind: 'retryable', message: expect.any(String), ...wait });
      stage.site.recovers();
      stage.site.meets('createmeta', fault);
      stage.clock.advance(60_000);
      expect(await create()).toEqual({ kind: 'retryable', message: expect.any(String), ...wait });
    });

    it.each(['lost answer', 'unavailable page', 'error after success', 'no more for now'] as const)(
      'retries if it could not read the fields of the project: %s',
      async fault => {
        await begin();
        stage.site.meets('createmeta', fault);
        expect(await create()).toMatchObject({ kind: 'retryable' });
        expect(stage.site.requestsOf('create')).toHaveLength(0);
        stage.site.recovers();
        expect(await create()).toMatchObject({ kind: 'created' });
      },
    );

    it.each([
      ['login redirect', 'auth'],
      ['login page', 'hibernating'],
    ] as const)('does not treat a page as an answer: %s', async (fault, code) => {
      await begin();
      for (const operation of ['createmeta', 'create'] as const) {
        stage.site.meets(operation, fault);
        expect(await create()).toMatchObject({ kind: 'rejected', code });
        stage.site.recovers();
      }
    });

    it.each(['is refused', 'is anonymous'] as const)('reports a wrong token that %s', async wrongToken => {
      await begin({ conditions: { wrongToken } });
      const secrets = { ...stage.site.account, api_token: 'expired' };
      const context = contextOf({ secrets });
      expect(await create(draftOf(), context)).toMatchObject({ kind: 'rejected', code: 'auth' });
      expect(await stage.adapter.verify(context)).toEqual([expect.objectContaining({ status: 'failed' })]);
      // If the account is unknown, an empty search result does not prove that the issue is missing.
      await expect(stage.adapter.findByKey(context, newId())).rejects.toThrow(/API token/);
      await expect(stage.adapter.status(context, { externalTicketId: 'SEC-1' })).rejects.toThrow(/API token/);
    });

    it('stops if Jira treats the token as anonymous only for the create', async () => {
      await begin();
      await create();
      stage.site.meets('create', refuses(403, { errorMessages: ['Basic auth with password is not allowed'] }));
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'forbidden', message: /Basic auth/ });
    });

    it('retries if the connection is refused', async () => {
      await begin();
      const context = contextOf();
      await stage.site.close();
      expect(await create(draftOf(), context)).toMatchObject({ kind: 'retryable' });
      expect(await stage.adapter.verify(context)).toEqual([expect.objectContaining({ status: 'failed' })]);
    });
  });

  describe('with a token that has scopes', () => {
    it('calls only the gateway, and links to the site', async () => {
      await begin({ conditions: { token: 'with scopes' } });
      const settings = settingsWith({ instance_url: 'https://acme.atlassian.net/' });
      expect(stage.adapter.origins(settings)).toEqual([stage.site.origin]);
      const outcome = await create(draftOf(), contextOf({ settings }));
      expect(outcome).toMatchObject({ ref: { url: 'https://acme.atlassian.net/browse/SEC-1' } });
    });

    it('reports a missing API base URL', async () => {
      await begin({ conditions: { token: 'with scopes' } });
      const { api_base_url: _, ...settings } = stage.site.settings;
      expect(await create(draftOf(), contextOf({ settings }))).toMatchObject({
        code: 'config',
        message: expect.stringContaining('API base URL'),
      });
    });
  });
});
