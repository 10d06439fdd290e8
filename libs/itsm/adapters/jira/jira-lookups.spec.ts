import { describe, expect, it } from '@jest/globals';
import { newId, type JsonObject } from '#core';
import { fieldProject, prioritiesNamed, TEAM_FIELD } from '../../../../test/emulators/jira/project.js';
import { describeWhere } from '../../../../test/support/describe-where.js';
import { jiraOpenApiFile } from '../../../../test/emulators/jira/openapi.js';
import { refuses } from '../../../../test/support/itsm/platform-faults.js';
import { draftOf, SiteStage } from '../../../../test/emulators/jira/site-stage.js';

describe('JiraAdapter', () => {
  const stage = new SiteStage();
  const { begin, contextOf, create, settingsWith } = stage;

  describe('searching for an issue', () => {
    it('finds an issue by its key as soon as Jira’s index contains it', async () => {
      await begin({ conditions: { missedSearches: 1 } });
      const draft = draftOf();
      stage.site.meets('create', 'lost answer');
      expect(await create(draft)).toMatchObject({ kind: 'uncertain' });
      expect(await stage.adapter.findByKey(contextOf(), draft.key)).toEqual([]);
      const found = await stage.adapter.findByKey(contextOf(), draft.key);
      expect(found).toEqual([expect.objectContaining({ externalTicketId: 'SEC-1', platformId: '20001' })]);
    });

    it('finds issues of projects without labels, and none that only mention the key', async () => {
      await begin({ projects: [fieldProject({ without: ['labels'] })] });
      const draft = draftOf();
      await create(draft);
      await create(draftOf({ payload: { text: `like ${draft.key}` } }));
      expect(await stage.adapter.findByKey(contextOf(), draft.key)).toHaveLength(1);
    });

    it('returns the newest first', async () => {
      await begin();
      const draft = draftOf();
      await create(draft);
      await create(draft);
      const found = await stage.adapter.findByKey(contextOf(), draft.key);
      expect(found.map(({ externalTicketId }) => externalTicketId)).toEqual(['SEC-2', 'SEC-1']);
    });

    it.each(['login page', 'login redirect', 'unavailable page', 'no more for now', 'lost answer'] as const)(
      'does not treat a failed search as an empty one: %s',
      async fault => {
        await begin();
        stage.site.meets('search', fault);
        await expect(stage.adapter.findByKey(contextOf(), newId())).rejects.toThrow(/^[A-Z].*\.$/);
      },
    );
  });

  describe('reading an issue', () => {
    it('returns the state of an issue, and whether it was deleted', async () => {
      await begin();
      const outcome = await create();
      if (outcome.kind !== 'created') throw new Error(outcome.message);
      expect(await stage.adapter.status(contextOf(), outcome.ref)).toMatchObject({ status: 'open' });
      const at = new Date('2026-11-20T10:15:00.123Z');
      stage.site.issues.move('SEC-1', { category: 'done', resolution: 'Won’t Do', at });
      expect(await stage.adapter.status(contextOf(), outcome.ref)).toEqual({
        status: 'closed',
        resolution: 'Won’t Do',
        occurredAt: at,
      });
      expect(await stage.adapter.status(contextOf(), { externalTicketId: 'SEC-404' })).toBeNull();
      expect(stage.site.requestsOf('issue')[0]?.path).toContain('/issue/20001?');
    });

    it.each<[string, object | undefined]>([
      ['a page of a proxy', undefined],
      ['an answer of a gateway', { code: 404, message: 'Not Found' }],
      ['an answer without a reason', { errorMessages: [], errors: {} }],
    ])('does not accept a 404 that is %s', async (_what, json) => {
      await begin({ isStrict: false });
      await create();
      stage.site.meets('issue', refuses(404, json));
      await expect(stage.adapter.status(contextOf(), { externalTicketId: 'SEC-1' })).rejects.toThrow(/404/);
    });

    it('reads the webhook of an issue that it created', async () => {
      await begin();
      await create();
      const issue = stage.site.issues.move('SEC-1', { category: 'indeterminate' });
      expect(stage.adapter.mapInbound(JSON.parse(stage.site.webhookOf(issue).body))).toMatchObject({
        externalTicketId: 'SEC-1',
        status: 'in_progress',
        updatedBy: 'Mia Krystof',
      });
    });
  });

  describe('the connector test', () => {
    const statusesOf = async (context = contextOf()): Promise<JsonObject> =>
      Object.fromEntries((await stage.adapter.verify(context)).map(({ name, status }) => [name, status]));

    it('finds no fault in an ordinary project', async () => {
      await begin();
      expect(new Set(Object.values(await statusesOf()))).toEqual(new Set(['passed']));
    });

    it('warns about the fields that issues will lack', async () => {
      await begin({
        projects: [fieldProject({ priorities: prioritiesNamed('Hoch'), without: ['labels', 'description'] })],
      });
      expect(await statusesOf()).toMatchObject({
        'The priorities exist': 'warning',
        'Labels are taken': 'warning',
        'The description can be set': 'warning',
      });
    });

    it.each([
      ['an unknown project', {}, { project_key: 'NOPE' }],
      ['an unknown issue type', {}, { issue_type: 'Incident' }],
      ['a missing permission', { mayCreate: false }, {}],
      ['a required field', { more: TEAM_FIELD }, {}],
    ])('reports the fault: %s', async (_what, project, settings) => {
      await begin({ projects: [fieldProject(project)] });
      const checks = await stage.adapter.verify(contextOf({ settings: settingsWith(settings) }));
      expect(checks.filter(({ status }) => status === 'failed')).toHaveLength(1);
    });

    it('reads the current state each time', async () => {
      await begin();
      await create();
      stage.site.have(fieldProject({ more: TEAM_FIELD }));
      expect(Object.values(await statusesOf())).toContain('failed');
    });
  });

  const missing = jiraOpenApiFile() === undefined && 'JIRA_OPENAPI names no file';
  describeWhere(missing, 'by Atlassian’s description of the API', () => {
    it('sends only requests that Atlassian describes', async () => {
      await begin({ conditions: { token: 'with scopes' } });
      const context = contextOf();
      const outcome = await create(draftOf(), context);
      if (outcome.kind !== 'created') throw new Error(outcome.message);
      await stage.adapter.verify(context);
      await stage.adapter.findByKey(context, newId());
      await stage.adapter.status(context, outcome.ref);
      // When the emulator is closed, it rejects if a request did not match Atlassian's description. All tests in this
      // file check their requests in this way.
      expect(stage.site.checks.api).toBe(stage.site.received.length);
    });
  });
});
