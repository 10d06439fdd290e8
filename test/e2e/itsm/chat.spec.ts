import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SCOPES } from '#access';
import { EgressClient, type EgressRequest } from '#egress';
import { IncidentCommands } from '../../../libs/itsm/chat/commands/incident-commands.js';
import { Counted } from '../../support/itsm/counted.js';
import { auditOf, putConnector } from '../../support/itsm/ledger.js';
import { giveChatTime } from '../../support/itsm/chat-time.js';
import { REPLY_URL, SlackWorkspace } from '../../support/itsm/slack.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { stageOn, type Stage } from '../incidents.support.js';

const ADMIN = 'U0ADMIN';
const MEMBER = 'U0MEMBER';
/** Time limit of an answer. Shorter than the delay of delayed answers. */
const SHORT_MS = 50;

describe('commands of Slack', () => {
  const counted = new Counted();
  let app: TestApp;
  let stage: Stage;
  let slack: SlackWorkspace;
  let adminId: string;
  /** Requests with later answers that the app has sent to Slack. */
  const sent: { url: string; text: string }[] = [];
  /** The statuses with which Slack answers these requests. */
  let statuses: number[];

  beforeAll(async () => {
    counted.start();
    app = await startTestApp({ outbox: { pollIntervalMs: 100 } });
    jest.spyOn(app.app.get(EgressClient), 'send').mockImplementation(async ({ url, body }: EgressRequest) => {
      sent.push({ url, text: JSON.parse(String(body)).text });
      return {
        durationMs: 1,
        status: statuses.shift() ?? 200,
        headers: {},
        body: Buffer.alloc(0),
        truncated: false,
        mayShow: true,
        sent: true,
      };
    });
  });

  beforeEach(async () => {
    stage = await stageOn(app);
    slack = new SlackWorkspace(app);
    adminId = await addUser('Grace <Hopper>');
    await setUp(stage, slack);
    await link(stage, slack, ADMIN, adminId, 'admin');
    await link(stage, slack, MEMBER, stage.userId);
    sent.length = 0;
    statuses = [];
    counted.take('governance.chat.commands');
  });

  /** The number of response URLs stored for the organization. */
  const sealedAddresses = async (): Promise<number> => {
    const sql = `select id from governance.secrets s join governance.chat_commands c on c.id = s.owner_id
      where s.org_id = $1 and s.owner = 'chat_commands'`;
    return (await app.database.asOwner(sql, [stage.orgId])).length;
  };

  afterAll(async () => {
    jest.restoreAllMocks();
    await app.close();
    counted.stop();
  });

  async function addUser(name: string): Promise<string> {
    return (await stage.call('POST', '/v1/users', { email: `${randomUUID()}@example.com`, name })).body.id;
  }

  async function setUp(of: Stage, { id, secret }: SlackWorkspace): Promise<string> {
    const answer = await of.call('POST', '/v1/chat/workspaces', {
      platform: 'slack',
      workspace: id,
      signing_secret: secret,
    });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain(secret);
    return answer.body.id;
  }

  async function link(
    of: Stage,
    { id }: SlackWorkspace,
    account: string,
    user_id: string,
    role?: string,
  ): Promise<string> {
    const answer = await of.call('POST', '/v1/chat/links', {
      ...{ platform: 'slack', workspace: id, account, user_id },
      ...(role === undefined ? {} : { role }),
    });
    expect(answer.status).toBe(201);
    return answer.body.id;
  }

  const say = async (account: string, text: string): Promise<string> => {
    const { status, body } = await slack.type(account, text);
    expect([status, body.response_type]).toEqual([200, 'ephemeral']);
    return body.text;
  };

  async function incident(as = stage): Promise<string> {
    await as.violate();
    return (await as.incidents())[0].id;
  }

  it('list the unresolved incidents with ids that are easy to type, and show one with its tickets', async () => {
    expect(await say(ADMIN, 'list')).toBe('No incident is unresolved.');
    const id = await incident();
    const list = await say(ADMIN, ' LIST  ');
    const reference = list.split(' ')[0] ?? '';
    expect([id.startsWith(reference), list]).toEqual([true, expect.stringContaining('Large models by')]);
    for (const written of [reference, reference.toUpperCase(), id, `#${id.slice(0, 12)}`, id.replaceAll('-', '')]) {
      expect(await say(ADMIN, `show ${written}`)).toContain(`Incident ${id}`);
    }
    expect(await say(ADMIN, `show ${id}`)).toContain('No tickets');
    expect(counted.take('governance.chat.commands')).toEqual(Array.from({ length: 8 }, () => 'accepted'));
  });

  it('acknowledge an incident as the linked user', async () => {
    const id = await incident();
    expect(await say(ADMIN, `ack ${id.slice(0, 18)}`)).toContain('is acknowledged');
    expect((await stage.incidents())[0]).toMatchObject({
      status: 'acknowledged',
      acknowledged_by: { kind: 'chat', id: adminId },
    });
    expect((await auditOf(app, id)).at(-1)).toMatchObject({
      ...{ action: 'incident.acknowledged', actor_kind: 'chat', actor_id: adminId, actor_user_id: adminId },
    });
    // Markup in the names of users is escaped.
    expect(await say(ADMIN, `ack ${id}`)).toContain('already acknowledged by Grace &lt;Hopper&gt;');
    await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'resolved' });
    expect(await say(ADMIN, `ack ${id}`)).toContain(`Incident ${id} was already resolved by `);
  });

  it('answer usage errors with 200', async () => {
    await incident();
    for (const [typed, answer] of [
      ['', '/service-alerts list'],
      ['help', '/service-alerts ticket &lt;id&gt; [connector]'],
      ['dance <b>', '"dance" is not a command.'],
      ['show', 'Name the incident'],
      ['show 0199', 'at least its first 8 characters'],
      ['show <!channel>', '"&lt;!channel&gt;" is not an incident id'],
      [`show ${randomUUID()}`, 'No incident has an id that begins with'],
      ['ack 0199c2a8z', '"0199c2a8z" is not an incident id'],
    ] as const) {
      expect([typed, await say(ADMIN, typed)]).toEqual([typed, expect.stringContaining(answer)]);
    }
    const { body } = await slack.type(ADMIN, 'list', { fields: { command: '/other' } });
    expect(body.text).toContain('This URL handles the command /service-alerts');
  });

  it('show a member the same as the API, and change nothing for members', async () => {
    const id = await incident();
    const colleague = await addUser('Bo');
    await stage.violate(stage.call, { user_id: colleague });
    const theirs = (await stage.incidents()).find(({ user_id }) => user_id === colleague).id;
    expect(await say(MEMBER, 'list')).toContain(id.slice(0, 8));
    expect((await say(MEMBER, 'list')).split('\n')).toHaveLength(1);
    expect(await say(MEMBER, `show ${id}`)).toContain(`Incident ${id}`);
    expect(await say(MEMBER, `show ${theirs}`)).toContain('No incident has an id');
    for (const typed of [`ack ${id}`, `ticket ${id}`])
      expect(await say(MEMBER, typed)).toContain('lacks the permission');
    expect((await stage.incidents()).map(({ status }) => status)).toEqual(['open', 'open']);
  });

  it('tell an unlinked account how to link, and refuse users without the right', async () => {
    const text = await say('U0NOBODY', 'list');
    expect(text).toContain(`workspace ${slack.id}, account U0NOBODY`);
    await stage.call('PUT', `/v1/users/${adminId}`, { status: 'inactive' });
    expect(await say(ADMIN, 'list')).toContain('is suspended or inactive');
    await stage.call('POST', `/v1/users/${adminId}/offboard`);
    expect(await say(ADMIN, 'list')).toContain('is not linked');
  });

  it('are refused with 401 unless they have a current signature by the secret of the workspace', async () => {
    const good = await slack.type(ADMIN, 'list');
    expect(good.status).toBe(200);
    const unsigned = { headers: { 'x-slack-signature': '' } };
    const unknown = new SlackWorkspace(app);
    const refused = [
      await slack.type(ADMIN, 'list', { secret: 'x'.repeat(32) }),
      await slack.type(ADMIN, 'list', { offBy: 301 }),
      await slack.type(ADMIN, 'list', { offBy: -301 }),
      await slack.type(ADMIN, 'list', unsigned),
      await unknown.type(ADMIN, 'list'),
      await slack.send('nonsense', {}),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(new Set(refused.map(({ body }) => body.message)).size).toBe(1);
    const large = await slack.type(ADMIN, 'x'.repeat(17_000));
    const json = await slack.send('{}', { 'content-type': 'text/plain' });
    const elsewhere = await app.as(null)('POST', '/v1/integrations/teams/commands', 'a=b', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([large.status, json.status, elsewhere.status]).toEqual([413, 415, 404]);
    expect(counted.take('governance.chat.commands')).toEqual([
      ...['accepted', ...refused.map(() => 'refused signature'), 'refused size', 'refused body', 'refused platform'],
    ]);
  });

  it('have no effect the second time, also on another replica', async () => {
    const id = await incident();
    const other = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    try {
      const fields = { trigger_id: 'once' };
      const first = await slack.type(ADMIN, `ack ${id}`, { fields });
      await stage.call('PATCH', `/v1/incidents/${id}`, { status: 'open' });
      const again = await Object.assign(new SlackWorkspace(other, slack.id), { secret: slack.secret }).type(
        ADMIN,
        `ack ${id}`,
        { fields },
      );
      expect([first.body.text, again.body.text]).toEqual([
        expect.stringContaining('is acknowledged'),
        'This command was already received.',
      ]);
      expect((await stage.incidents())[0].status).toBe('open');
    } finally {
      await other.close();
    }
  });

  it('belong to the organization whose secret signed them, also if several have the workspace', async () => {
    const theirs = await stageOn(app);
    const impostor = Object.assign(new SlackWorkspace(app, slack.id), {});
    await setUp(theirs, impostor);
    await incident(theirs);
    expect(await say(ADMIN, 'list')).toBe('No incident is unresolved.');
    expect((await impostor.type(ADMIN, 'list')).body.text).toContain('is not linked');
  });

  it('create a ticket, and answer with the result later', async () => {
    const id = await incident();
    expect(await say(ADMIN, `ticket ${id}`)).toBe('No connector to a ticket platform is active.');
    const name = 'Security & Risk';
    const connector = await heldConnector(name);
    expect(await say(ADMIN, `ticket ${id}`)).toContain('is being opened');
    const [ticket] = await app.database.asOwner('select * from governance.tickets where incident_id = $1', [id]);
    expect(ticket).toMatchObject({ origin: 'chat', connector_id: connector });
    expect(sent).toEqual([]);
    expect(await say(ADMIN, `ticket ${id} security & risk`)).toContain('not created yet');
    await app.database.asOwner(
      `update governance.tickets set sync_state = 'created', external_ticket_id = 'SEC-7', status = 'open',
         url = 'https://jira.example/browse/SEC-7' where incident_id = $1`,
      [id],
    );
    statuses = [503];
    await until(async () => sent.length === 2);
    expect(sent).toEqual(
      sent.map(() => ({ url: REPLY_URL, text: 'Ticket SEC-7 (reporting): open https://jira.example/browse/SEC-7' })),
    );
    expect(await say(ADMIN, `show ${id}`)).toContain('Ticket SEC-7 (reporting): open');
    await heldConnector('Another');
    expect(await say(ADMIN, `ticket ${id}`)).toContain('Name the connector: Another, Security &amp; Risk.');
    expect(await say(ADMIN, `ticket ${id} nowhere`)).toContain('"nowhere" is not an active connector');
  });

  it('are answered in time, and later answers go to Slack only', async () => {
    giveChatTime(app, SHORT_MS);
    const { promise: answered, resolve: goOn } = Promise.withResolvers<void>();
    const slow = jest.spyOn(app.app.get(IncidentCommands), 'list').mockImplementation(async () => {
      await answered;
      return { text: 'late' };
    });
    const elsewhere = slack.type(ADMIN, 'list', { fields: { response_url: 'https://evil.example/' } });
    expect(await say(ADMIN, 'list')).toBe('This takes longer than usual; the answer follows.');
    expect((await elsewhere).body.text).toBe('This took too long; try again.');
    goOn();
    await until(async () => sent.length === 1);
    slow.mockRestore();
    expect(sent).toEqual([{ url: REPLY_URL, text: 'late' }]);
    const sql = 'select stage from governance.chat_commands where org_id = $1';
    // The app records shortly after sending that the command was answered.
    const rows = await until(async () => {
      const found = await app.database.asOwner(sql, [stage.orgId]);
      return found.every(({ stage: reached }) => reached === 'answered') && found;
    });
    expect(rows).toHaveLength(2);
    // The response URL is deleted when it is no longer needed.
    expect(await sealedAddresses()).toBe(0);
  });

  it('are executed and answered by another process if this one ends', async () => {
    const id = await incident();
    giveChatTime(app, SHORT_MS);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = jest.spyOn(app.app.get(IncidentCommands), 'acknowledge').mockImplementationOnce(() => {
      begin();
      // The command never finishes, as if the process had ended.
      return new Promise(() => undefined);
    });
    expect(await say(ADMIN, `ack ${id}`)).toContain('the answer follows');
    await begun;
    slow.mockRestore();
    await app.database.asOwner(`update governance.tasks set due_at = now() where queue = 'chat-reply' and key = $1`, [
      stage.orgId,
    ]);
    await until(async () => sent.length === 1);
    expect(sent[0]?.text).toContain('is acknowledged');
    expect((await stage.incidents())[0].status).toBe('acknowledged');
  });

  it('encrypt the response URL until it is used', async () => {
    giveChatTime(app, SHORT_MS);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = jest.spyOn(app.app.get(IncidentCommands), 'list').mockImplementationOnce(() => {
      begin();
      return new Promise(() => undefined);
    });
    expect(await say(ADMIN, 'list')).toContain('the answer follows');
    await begun;
    slow.mockRestore();
    const rows = await app.database.asOwner(
      `select to_jsonb(c) as row from governance.chat_commands c where org_id = $1
       union all select to_jsonb(t) from governance.tasks t where org_id = $1
       union all select to_jsonb(s) from governance.secrets s where org_id = $1`,
      [stage.orgId],
    );
    const bytes = Buffer.from(REPLY_URL).toString('hex').slice(2);
    expect(
      rows.map(row => JSON.stringify(row)).filter(text => text.includes(REPLY_URL) || text.includes(bytes)),
    ).toEqual([]);
    expect(await sealedAddresses()).toBe(1);
    await app.database.asOwner(`update governance.tasks set due_at = now() where queue = 'chat-reply' and key = $1`, [
      stage.orgId,
    ]);
    await until(async () => sent.length === 1);
    expect(sent[0]?.url).toBe(REPLY_URL);
    await until(async () => (await sealedAddresses()) === 0);
  });

  it('are sometimes sent by Slack only to check the certificate', async () => {
    const { status, body } = await slack.send('ssl_check=1&token=x', {});
    expect([status, body]).toEqual([200, {}]);
  });

  it.each(['commands', 'interactions'])('are checked by Slack with GET, too, without a signature: %s', async route => {
    const { status, body } = await app.as(null)('GET', `/v1/integrations/slack/${route}?ssl_check=1&token=x`);
    expect(status).toBe(200);
    expect(body).toEqual({ platform: 'slack', message: expect.stringContaining('This URL is reachable.') });
    expect(counted.take('governance.chat.commands')).toEqual([]);
  });

  it('are refused after the link, the secret or the workspace is deleted', async () => {
    const links = (await stage.call('GET', '/v1/chat/links')).body.items;
    const mine = links.find(({ account }: { account: string }) => account === ADMIN).id;
    expect((await stage.call('DELETE', `/v1/chat/links/${mine}`)).status).toBe(204);
    expect(await say(ADMIN, 'list')).toContain('is not linked');
    const [{ id }] = (await stage.call('GET', '/v1/chat/workspaces')).body.items;
    const replaced = await stage.call('PATCH', `/v1/chat/workspaces/${id}`, {
      signing_secret: 'another-secret-of-slack',
    });
    expect(replaced.status).toBe(200);
    expect((await slack.type(ADMIN, 'list')).status).toBe(401);
    expect((await slack.type(ADMIN, 'list', { secret: 'another-secret-of-slack' })).status).toBe(200);
    expect((await stage.call('DELETE', `/v1/chat/workspaces/${id}`)).status).toBe(204);
    expect((await slack.type(ADMIN, 'list', { secret: 'another-secret-of-slack' })).status).toBe(401);
    expect((await stage.call('GET', '/v1/chat/links')).body.items).toEqual([]);
    const secrets = await app.database.asOwner(`select 1 from governance.secrets where owner_id = $1`, [id]);
    expect(secrets).toEqual([]);
    const actions = (await auditOf(app, id)).map(({ action }) => action);
    expect(actions).toEqual(['chat_workspace.registered', 'chat_workspace.secret_replaced', 'chat_workspace.deleted']);
  });

  it("are set up with existing ids, once, and with no more rights than the caller's", async () => {
    const workspaces = (body: object) => stage.call('POST', '/v1/chat/workspaces', body);
    const secret = { signing_secret: 'x'.repeat(32) };
    expect((await workspaces({ platform: 'slack', workspace: slack.id, ...secret })).status).toBe(409);
    expect((await workspaces({ platform: 'irc', workspace: 'T1', ...secret })).body.details[0].field).toBe('platform');
    expect((await workspaces({ platform: 'slack', workspace: 'acme', ...secret })).body.details[0].field).toBe(
      'workspace',
    );
    const plain = { platform: 'slack', workspace: slack.id, account: 'U1', user_id: adminId };
    const fault = async (change: object) => {
      const { status, body } = await stage.call('POST', '/v1/chat/links', { ...plain, ...change });
      return `${status} ${body.details?.[0]?.field ?? ''}`;
    };
    expect(await fault({ workspace: 'T9' })).toBe('400 workspace');
    expect(await fault({ account: 'ada' })).toBe('400 account');
    expect(await fault({ user_id: randomUUID() })).toBe('400 user_id');
    expect(await fault({ account: ADMIN })).toBe('409 ');
    const narrow = await stage.call('POST', '/v1/tokens', {
      name: 'n',
      role: 'admin',
      scopes: ['itsm:read', 'itsm:write'],
    });
    const narrowed = app.as(narrow.body.token);
    expect((await narrowed('POST', '/v1/chat/links', { ...plain, role: 'admin' })).status).toBe(403);
    expect((await narrowed('POST', '/v1/chat/links', plain)).status).toBe(403);
  });

  it('need the rights of every linked user for setting their secret, because it allows acting as these users', async () => {
    const [{ id }] = (await stage.call('GET', '/v1/chat/workspaces')).body.items;
    const scoped = async (scopes: string[]) =>
      app.as((await stage.call('POST', '/v1/tokens', { name: `n${scopes.length}`, role: 'admin', scopes })).body.token);
    const mine = { signing_secret: 'i-know-this-secret-0000' };
    const another = { platform: 'slack', workspace: 'T0OTHER', ...mine };
    const everything = SCOPES.filter(scope => scope !== 'users:write');
    for (const call of [await scoped(['itsm:write']), await scoped(everything)]) {
      const answers = [
        await call('PATCH', `/v1/chat/workspaces/${id}`, mine),
        // This refusal also applies to a workspace that still waits for its first link.
        await call('POST', '/v1/chat/workspaces', another),
        await call('PATCH', `/v1/chat/workspaces/${randomUUID()}`, mine),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
      for (const { body } of answers) expect(body.message).toContain('users:write');
    }
    expect((await slack.type(ADMIN, 'list', { secret: mine.signing_secret })).status).toBe(401);
    expect(await say(ADMIN, 'list')).toBe('No incident is unresolved.');
    expect((await auditOf(app, id)).map(({ action }) => action)).toEqual(['chat_workspace.registered']);
  });

  /** A connector whose tickets are not created during the test. */
  async function heldConnector(name: string): Promise<string> {
    const id = await putConnector(app, stage.orgId, { name });
    const sql = `insert into governance.task_holds (org_id, queue, key) values ($1, 'itsm', $2)`;
    await app.database.asOwner(sql, [stage.orgId, id]);
    return id;
  }
});
