import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/test-app.js';
import { connect, connectorFields, deskStage, startDesk } from './tickets.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startDesk();
});

afterAll(() => app?.close());

const SETTINGS = { instance_url: 'https://127.0.0.1:9' };
const TEMPLATES = {
  title_template: '{{ severity }}: {{ policy }} with {{ model }}',
  text_template: 'By {{ person }}.',
};

describe('templates of a connector', () => {
  it('create the title and the text of its tickets', async () => {
    const stage = await deskStage(app, { settings: { ...SETTINGS, ...TEMPLATES } });
    await stage.violate();
    await stage.settled('created');
    const desk = (app as Awaited<ReturnType<typeof startDesk>>).desk;
    expect(desk.tickets[0]?.body['title']).toBe('high: Large models with gpt-4o');
    const { body: person } = await stage.call('GET', `/v1/users/${stage.userId}`);
    expect(desk.tickets[0]?.body['description']).toMatch(new RegExp(`^By ${person.email}\\.\n\n\\{`));
  });

  it('are refused with the available names if they use an unknown one', async () => {
    const { call } = await deskStage(app);
    const settings = { ...SETTINGS, title_template: '{{ polcy }}', text_template: '{{ title' };
    const { status, body } = await call('POST', '/v1/itsm/connectors', connectorFields({ settings }));
    expect(status).toBe(400);
    expect(body.details).toMatchObject([
      { field: 'settings.title_template', message: expect.stringContaining('title, severity, policy') },
      { field: 'settings.text_template', message: expect.stringContaining('must close') },
    ]);
  });

  it('are in the settings schema of every kind', async () => {
    const { body } = await app.call('GET', '/v1/itsm/kinds');
    for (const { settings_schema: schema } of body.items) {
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['title_template', 'text_template']));
    }
  });

  it('can be tried in a preview, also for an incident with a ticket', async () => {
    const stage = await deskStage(app);
    await stage.violate();
    await stage.settled('created');
    await connect(stage.call, { active: false });
    const [{ id }] = await stage.incidents();
    const preview = (fields: object) =>
      stage.call('POST', `/v1/incidents/${id}/tickets`, { connector_id: stage.connector.id, ...fields });
    const { status, body } = await preview({ preview: true, title_template: 'AI: {{ model }}' });
    expect([status, body.title]).toEqual([200, 'AI: gpt-4o']);
    expect((await preview({ preview: true, title_template: '{{ x }}' })).body.details).toMatchObject([
      { field: 'title_template' },
    ]);
    expect((await preview({ title_template: 'AI' })).status).toBe(400);
    expect((await preview({ preview: true })).status).toBe(409);
  });
});
