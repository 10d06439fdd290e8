import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { EgressClient, type EgressRequest } from '#egress';
import { giveChatTime } from '../../support/itsm/chat-time.js';
import { SlackWorkspace } from '../../support/itsm/slack.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn, type Stage } from '../incidents.support.js';

const PROXY = 'https://slack-proxy.example.com/commands/1';
const LATE = 'This takes longer than usual; the answer follows.';

describe('commands of Slack while the database is slow', () => {
  let app: TestApp;
  let stage: Stage;
  let slack: SlackWorkspace;
  let release: () => Promise<void>;
  const sent: { url: string; text: string }[] = [];

  beforeAll(async () => {
    const itsm = { chatReplyOrigins: ['https://slack-proxy.example.com'] };
    app = await startTestApp({ itsm, outbox: { pollIntervalMs: 100 } });
    jest.spyOn(app.app.get(EgressClient), 'send').mockImplementation(async ({ url, body }: EgressRequest) => {
      sent.push({ url, text: JSON.parse(String(body)).text });
      const answer = { headers: {}, body: Buffer.alloc(0), truncated: false, mayShow: true, sent: true };
      return { durationMs: 1, status: 200, ...answer };
    });
  });

  beforeEach(async () => {
    stage = await stageOn(app);
    slack = new SlackWorkspace(app);
    // The time limit is short, because no answer comes anyway while the table is locked.
    giveChatTime(app, 50);
    const workspace = { platform: 'slack', workspace: slack.id };
    const { call, userId } = stage;
    await call('POST', '/v1/chat/workspaces', { ...workspace, signing_secret: slack.secret });
    await call('POST', '/v1/chat/links', { ...workspace, account: 'U0ADMIN', user_id: userId, role: 'admin' });
    sent.length = 0;
    await stage.violate();
    release = await lock('chat_workspaces');
  });

  afterEach(() => release());

  afterAll(async () => {
    jest.restoreAllMocks();
    await app.close();
  });

  /** Blocks every reader of a table, like a database that does not answer. */
  async function lock(table: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('begin');
    await client.query(`lock table governance.${table} in access exclusive mode`);
    let isOver = false;
    return async () => {
      if (isOver) return;
      isOver = true;
      await client.query('rollback');
      await client.end();
    };
  }

  const type = (text: string, options: { secret?: string } = {}): Promise<Answer> =>
    slack.type('U0ADMIN', text, { ...options, fields: { response_url: PROXY } });

  const stored = async (): Promise<number> =>
    (await app.database.asOwner('select 1 from governance.chat_commands where org_id = $1', [stage.orgId])).length;

  it('are acknowledged before it answers, and answered through the response URL afterwards', async () => {
    const { id } = (await stage.incidents())[0];
    // The acknowledgment arrives while the lock is still held, and before anything is stored.
    const { status, body } = await type(`ack ${id}`);
    expect([status, body.text, await stored()]).toEqual([200, LATE, 0]);
    await release();
    await until(async () => sent.length === 1);
    expect(sent).toEqual([{ url: PROXY, text: `Incident ${id} is acknowledged by you.` }]);
    expect((await stage.incidents())[0].status).toBe('acknowledged');
  });

  it('do not run if the signature turns out to be wrong', async () => {
    const { body } = await type('list', { secret: 'x'.repeat(32) });
    expect(body.text).toBe(LATE);
    await release();
    // A later command passes through the same queue. Once it is stored, the refused command would have been stored,
    // too.
    expect((await type('help')).status).toBe(200);
    await until(async () => (await stored()) > 0);
    const texts = 'select text from governance.chat_commands where org_id = $1';
    expect(await app.database.asOwner(texts, [stage.orgId])).toEqual([{ text: 'help' }]);
  });

  it('are not acknowledged in advance if the response URL is not at an allowed origin', async () => {
    const { body } = await slack.type('U0ADMIN', 'list');
    expect(body.text).toBe('This took too long; try again.');
  });

  it('do not delay the check of the request URL', async () => {
    const open = app.as(null);
    const { status, body } = await open('GET', '/v1/integrations/slack/commands');
    expect([status, body]).toEqual([
      200,
      { platform: 'slack', message: 'This URL is reachable. Slack calls it with signed POST requests.' },
    ]);
    expect((await open('GET', '/v1/integrations/irc/commands')).status).toBe(404);
  });
});
