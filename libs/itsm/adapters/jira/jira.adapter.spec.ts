import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#core';
import { fieldProject, prioritiesNamed, TEAM_FIELD } from '../../../../test/emulators/jira/project.js';
import { refuses } from '../../../../test/support/itsm/platform-faults.js';
import { draftOf, LINK, SiteStage } from '../../../../test/emulators/jira/site-stage.js';

describe('JiraAdapter', () => {
  const stage = new SiteStage();
  const { begin, contextOf, create, settingsWith } = stage;

  describe('creating', () => {
    it.each([
      ['critical', 'Highest', '1'],
      ['high', 'High', '2'],
      ['medium', 'Medium', '3'],
      ['low', 'Low', '4'],
    ] as const)(
      'sends severity %s as priority %s by its id, with its labels and the key',
      async (severity, _name, id) => {
        await begin();
        const draft = draftOf({ severity });
        const outcome = await create(draft);
        const url = `${stage.site.settings.instance_url}/browse/SEC-1`;
        expect(outcome).toEqual({ kind: 'created', ref: { externalTicketId: 'SEC-1', platformId: '20001', url } });
        const [request] = stage.site.requestsOf('create');
        expect(request?.json).toEqual({
          fields: {
            project: { key: 'SEC' },
            issuetype: { id: '10002' },
            summary: draft.title,
            description: {
              version: 1,
              type: 'doc',
              content: [
                {
                  type: 'paragraph',
                  content: [
                    { type: 'text', text: 'Incident: ' },
                    { type: 'text', text: LINK, marks: [{ type: 'link', attrs: { href: LINK } }] },
                  ],
                },
                {
                  type: 'codeBlock',
                  attrs: { language: 'json' },
                  content: [{ type: 'text', text: JSON.stringify(draft.payload, null, 2) }],
                },
                { type: 'paragraph', content: [{ type: 'text', text: `Reference: ${draft.key}` }] },
              ],
            },
            labels: ['acme-gateway', 'ai-policy', severity, `ticket-${draft.key}`],
            priority: { id },
          },
          properties: [{ key: 'llm-governance.ticket', value: { key: draft.key } }],
        });
      },
    );

    it('reads the fields of the project once a minute, whatever the number of tickets', async () => {
      await begin();
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => create()));
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['created']));
      expect(stage.site.requestsOf('createmeta')).toHaveLength(2);
      stage.clock.advance(60_000);
      await create();
      expect(stage.site.requestsOf('createmeta')).toHaveLength(4);
    });

    it('reads them for each account separately, because accounts have different rights', async () => {
      await begin();
      await create();
      const secrets = { ...stage.site.account, api_token: 'another' };
      expect(await create(draftOf(), contextOf({ secrets }))).toMatchObject({ kind: 'rejected', code: 'auth' });
      expect(stage.site.requestsOf('create')).toHaveLength(1);
    });

    it('reads create metadata page by page', async () => {
      const more = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`customfield_${at}`, { name: 'x' }]));
      await begin({ conditions: { metaPage: 2 }, projects: [fieldProject({ more })] });
      expect(await create(draftOf(), contextOf({ settings: settingsWith({ issue_type: 'Bug' }) }))).toEqual(
        expect.not.objectContaining({ degraded: expect.anything() }),
      );
      expect(stage.site.requestsOf('createmeta')).toHaveLength(2 + 6);
      expect(stage.site.issues.all[0]?.fields['priority']).toEqual({ id: '2' });
    });

    it.each([
      ['its name', 'Bug', { id: '10004' }],
      ['its name in another case', 'bUg', { id: '10004' }],
      ['its id', '10004', { id: '10004' }],
    ])('finds the issue type by %s', async (_by, issue_type, sent) => {
      await begin();
      expect(await create(draftOf(), contextOf({ settings: settingsWith({ issue_type }) }))).toMatchObject({
        kind: 'created',
      });
      expect(stage.site.issues.all[0]?.fields['issuetype']).toEqual(sent);
    });

    it('leaves out priority and labels that are not on the screen, and reports them', async () => {
      await begin({ projects: [fieldProject({ without: ['priority', 'labels'] })] });
      expect(await create()).toMatchObject({
        kind: 'created',
        degraded: [expect.stringContaining('no labels'), expect.stringContaining('no priority')],
      });
      expect(Object.keys(stage.site.issues.all[0]?.fields ?? {})).toEqual(
        expect.not.arrayContaining(['labels', 'priority']),
      );
    });

    it('leaves out the priority if the project’s have other names, and reports which', async () => {
      await begin({
        projects: [fieldProject({ priorities: prioritiesNamed('Höchste', 'Hoch', 'Mittel', 'Niedrig') })],
      });
      expect(await create()).toMatchObject({
        kind: 'created',
        degraded: ['This project has no priority “High”, but Höchste, Hoch, Mittel, Niedrig; Jira chose one.'],
      });
    });

    it('takes the project’s spelling of a priority', async () => {
      await begin({ projects: [fieldProject({ priorities: prioritiesNamed('HIGHEST', 'high', 'Medium', 'Low') })] });
      expect(await create()).not.toHaveProperty('degraded');
      expect(stage.site.issues.all[0]?.fields['priority']).toEqual({ id: '2' });
    });

    it('creates without a description if the screen has none', async () => {
      await begin({ projects: [fieldProject({ without: ['description'] })] });
      expect(await create()).toMatchObject({ kind: 'created', degraded: [expect.stringContaining('no description')] });
    });

    it('refuses an issue that lacks a required field without a request, so that no issue number is lost', async () => {
      await begin({ projects: [fieldProject({ more: TEAM_FIELD })] });
      expect(await create()).toEqual({
        kind: 'rejected',
        code: 'field',
        message: 'The project requires “Team”, which this connector does not fill.',
        fields: { customfield_10050: 'The project requires “Team”, which this connector does not fill.' },
      });
      expect([stage.site.requestsOf('create').length, stage.site.issues.burntNumbers]).toEqual([0, 0]);
      stage.site.have(fieldProject({ more: { customfield_10050: { name: 'Team', hasDefault: true } } }));
      expect(await create()).toMatchObject({ kind: 'created' });
    });

    it.each([
      ['project', { project_key: 'NOPE' }, /has no project NOPE/],
      ['issuetype', { issue_type: 'Incident' }, /no issue type “Incident”; it has Task, Bug\./],
      ['issuetype', { issue_type: 'Sub-task' }, /no issue type “Sub-task”/],
    ])('treats an unknown %s as an error of the settings', async (field, settings, message) => {
      await begin();
      const outcome = await create(draftOf(), contextOf({ settings: settingsWith(settings) }));
      expect(outcome).toMatchObject({ kind: 'rejected', code: 'config', message: expect.stringMatching(message) });
      expect(outcome).toHaveProperty(['fields', field]);
      expect(stage.site.issues.burntNumbers).toBe(0);
    });

    it('treats a project without the permission as an error of the settings', async () => {
      await begin({ projects: [fieldProject({ mayCreate: false })] });
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'config' });
    });

    it('names the fields of a refusal, and reads the fields of the project again', async () => {
      await begin();
      await create();
      stage.site.have(fieldProject({ more: TEAM_FIELD }));
      expect(await create()).toEqual({
        kind: 'rejected',
        code: 'field',
        message: 'Jira rejected the request (400): customfield_10050: Team is required.',
        fields: { customfield_10050: 'Team is required.' },
      });
      expect(await create()).toMatchObject({ message: expect.stringContaining('requires “Team”') });
      expect(stage.site.issues.burntNumbers).toBe(1);
    });

    it('treats a problem of Jira’s configuration (422) as an error of the settings', async () => {
      await begin();
      stage.site.meets('create', refuses(422, { errorMessages: ['The workflow is broken.'], errors: {} }));
      expect(await create()).toMatchObject({ kind: 'rejected', code: 'config', message: /workflow is broken/ });
    });

    it('writes a summary on one line and truncates it at 255 UTF-16 characters, between code points', async () => {
      await begin();
      const title = `[Acme]\r\n\u202Epolicy_violation\u0007: ${'😀'.repeat(300)}`;
      expect(await create(draftOf({ title }))).toMatchObject({ kind: 'created' });
      const summary = stage.site.issues.all[0]?.fields['summary'] as string;
      expect(summary).toMatch(/^\[Acme\] policy_violation : 😀+… \[cut\]$/u);
      expect(summary.length).toBeGreaterThan(252);
    });

    it('writes labels without spaces', async () => {
      await begin();
      await create(draftOf({ labels: ['Acme  Gateway\n1', '', 'high', 'high'] }));
      expect(stage.site.issues.all[0]?.fields['labels']).toEqual([
        'Acme-Gateway-1',
        'high',
        expect.stringMatching(/^ticket-/),
      ]);
    });

    it('truncates labels at 255 UTF-16 characters, between code points, wherever the limit falls', async () => {
      await begin();
      await create(draftOf({ labels: ['', 'x'].map(pad => pad + '😀'.repeat(200)) }));
      expect(stage.site.issues.all[0]?.fields['labels']).toEqual([
        `${'😀'.repeat(127)}…`,
        `x${'😀'.repeat(126)}…`,
        expect.stringMatching(/^ticket-/),
      ]);
    });

    it.each([
      ['quotation marks and backslashes', '"\\'],
      ['characters of two UTF-16 units', '😀'],
      ['line breaks', '\n'],
      ['plain characters', 'x'],
    ])("keeps a long payload of %s within Jira's limit, with a mark and the link", async (_what, unit) => {
      await begin();
      const payload = { odd: 'x', text: unit.repeat(50_000) };
      expect(await create(draftOf({ payload }))).toMatchObject({ kind: 'created' });
      const sent = JSON.stringify(stage.site.issues.all[0]?.fields['description']);
      expect(sent.length).toBeGreaterThan(31_900);
      expect(sent).toContain('… [cut]');
      expect(sent).toContain(LINK);
    });

    it('drops the indentation before it truncates anything', async () => {
      await begin();
      const payload = { list: [...Array.from({ length: 15_000 }, () => 1), 2] };
      await create(draftOf({ payload }));
      expect(JSON.stringify(stage.site.issues.all[0]?.fields['description'])).toContain('1,1,2]}');
    });

    it('shows in the preview the sent body, with names instead of ids', async () => {
      await begin();
      const draft = draftOf();
      const preview = stage.adapter.render(draft, stage.site.settings);
      await create(draft);
      const { fields, ...others } = preview.body;
      expect(fields).toMatchObject({ issuetype: { name: 'Task' }, priority: { name: 'High' } });
      const sent = { ...Object(fields), issuetype: { id: '10002' }, priority: { id: '2' } };
      expect(stage.site.requestsOf('create')[0]?.json).toEqual({ ...others, fields: sent });
      expect(preview.description).toContain('"model": "gpt-4o"');
    });
  });

  it('does not follow endless create metadata', async () => {
    await begin();
    stage.site.meets('createmeta', refuses(200, { issueTypes: [{ id: '1', name: 'Epic' }], total: 1_000_000 }));
    expect(await create()).toMatchObject({ kind: 'rejected', code: 'config' });
    // The metadata is requested first in English, then in the language of the account.
    expect(stage.site.requestsOf('createmeta')).toHaveLength(20);
  });

  it('gives Jira ten seconds to describe a project, then retries later', async () => {
    await begin({ conditions: { metaPage: 1 } });
    const { http } = contextOf();
    const asked: (number | undefined)[] = [];
    const request: typeof http.request = each => {
      asked.push(each.timeoutMs);
      stage.clock.advance(4_000);
      return http.request(each);
    };
    expect(await create(draftOf(), contextOf({ http: { request } }))).toMatchObject({ kind: 'retryable' });
    expect(asked).toEqual([5_000, 5_000, 2_000]);
  });

  it('gives Jira 25 seconds in total to describe a project and create an issue', async () => {
    await begin();
    const asked: number[] = [];
    const { http } = contextOf();
    const request: typeof http.request = each => {
      asked.push(each.timeoutMs ?? NaN);
      return http.request(each);
    };
    await create(draftOf(), contextOf({ http: { request }, clock: new SystemClock() }));
    expect(asked.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(25_000);
    expect(asked).toHaveLength(3);
  });
});
