import { slackSignature } from '../../../libs/itsm/chat/slack/slack-signature.js';
import { until } from '../../support/webhooks.js';
import { echo, makeDue } from './echo.js';
import type { People } from './journeys.js';
import type { CanaryStage } from './stage.js';

/** Incidents, connectors, tickets, reports and chats. */
export async function runTickets(stage: CanaryStage, people: People): Promise<void> {
  const { traffic, serviceNow, jira } = stage;
  await traffic.do('GET', '/v1/itsm/kinds');
  await traffic.do('PUT', '/v1/itsm/inbound', { allowed_networks: ['127.0.0.0/8', '::1/128'] });
  await traffic.do('GET', '/v1/itsm/inbound');
  const incident = (await traffic.do('GET', '/v1/incidents')).items[0].id;
  await traffic.do('GET', `/v1/incidents/${incident}`);
  await traffic.do('PATCH', `/v1/incidents/${incident}`, { status: 'acknowledged' });
  await traffic.do('POST', '/v1/incidents/bulk', { ids: [incident], note: 'Seen' });
  await traffic.do('GET', `/v1/incidents/${incident}/timeline`);
  await traffic.send('GET', '/v1/incidents/stream', { headers: { accept: 'text/event-stream' } });

  const connect = (kind: string, settings: object, secrets: object): Promise<{ id: string }> =>
    traffic.do('POST', '/v1/itsm/connectors', { kind, name: kind, settings, secrets, active: true });
  const desk = await connect('servicenow', { instance_url: serviceNow.origin }, serviceNow.account);
  const board = await connect('jira', jira.settings, jira.account);
  await traffic.do('GET', '/v1/itsm/connectors');
  await traffic.do('POST', '/v1/itsm/route', { incident_id: incident });
  for (const { id } of [desk, board]) {
    await traffic.do('GET', `/v1/itsm/connectors/${id}`);
    await traffic.do('POST', `/v1/itsm/connectors/${id}/test`);
    await openTicket(stage, incident, id, 'created');
  }
  const [ticket] = (await traffic.do('GET', '/v1/itsm/tickets')).items;
  await traffic.do('GET', `/v1/itsm/tickets/${ticket.id}`);
  const report = { external_ticket_id: ticket.external_ticket_id, status: 'closed', notes: 'Done' };
  await traffic.do('POST', `/v1/integrations/itsm/webhook/${stage.orgId}`, report, { as: null });
  await reportWithSecret(stage, desk.id, report);
  await refuseTickets(stage, { desk: desk.id, board: board.id });
  await traffic.do('PATCH', `/v1/itsm/connectors/${board.id}`, { secrets: jira.account });
  await traffic.do('DELETE', `/v1/itsm/connectors/${board.id}`);
  await runChat(stage, people);
}

/**
 * Sets the report secret of a connector, and tries to set an invalid one. Then sends reports with the right and with a
 * wrong secret, each as valid and as broken JSON.
 */
async function reportWithSecret({ traffic, canaries, orgId, serviceNow }: CanaryStage, id: string, report: object) {
  const set = (secret: unknown) => {
    const secrets = { ...serviceNow.account, report_secret: secret };
    return traffic.send('PATCH', `/v1/itsm/connectors/${id}`, { body: { secrets } });
  };
  const [own, wrong] = [canaries.make('report_secret of a connector'), canaries.make('wrong X-Report-Secret')];
  const { status, text } = await set(own);
  if (status !== 200) throw new Error(text);
  await set([canaries.make('report_secret that is none')]);
  const path = `/v1/integrations/itsm/webhook/${orgId}`;
  for (const secret of [own, wrong]) {
    const headers = { 'x-report-secret': secret };
    await traffic.send('POST', path, { body: report, headers, as: null });
    await traffic.send('POST', `${path}?connector_id=${id}`, { body: `{"${secret}`, headers, as: null });
  }
}

/** Requests a ticket and waits for its expected state. Returns its id. */
async function openTicket(stage: CanaryStage, incident: string, connector_id: string, state: string): Promise<string> {
  const { traffic } = stage;
  await traffic.do('POST', `/v1/incidents/${incident}/tickets`, { connector_id, preview: true });
  const { id } = await traffic.do('POST', `/v1/incidents/${incident}/tickets`, { connector_id });
  await until(async () => {
    await makeDue(stage);
    return (await traffic.do('GET', `/v1/itsm/tickets/${id}`)).sync_state === state;
  }, 30_000);
  return id;
}

/** Platforms refuse, redirect and fail. Each answer repeats the request and the platform's secrets. */
async function refuseTickets(stage: CanaryStage, { desk, board }: Record<'desk' | 'board', string>): Promise<void> {
  const { traffic, serviceNow, jira } = stage;
  const platforms = [
    [desk, serviceNow, serviceNow.account],
    [board, jira, jira.account],
  ] as const;
  for (const [connector, platform, secrets] of platforms) {
    for (const status of [400, 401, 403, 404, 429, 500, 302, 200]) {
      platform.intercept(({ headers, body }) => echo(status, [headers, body.toString(), secrets]));
      await traffic.send('POST', `/v1/itsm/connectors/${connector}/test`);
    }
    platform.intercept(({ method, headers, body }) =>
      method === 'POST' ? echo(400, [headers, body.toString(), secrets]) : undefined,
    );
    const another = (await traffic.do('POST', '/v1/policies', { name: connector, action: 'alert', model: connector }))
      .id;
    const [user] = (await traffic.do('GET', '/v1/users')).items;
    await traffic.do('POST', '/v1/decisions', { user_id: user.id, provider: 'openai', model: connector });
    const rejected = await until(async () => {
      await makeDue(stage);
      const { items } = await traffic.do('GET', `/v1/itsm/tickets?connector_id=${connector}`);
      return items.find((item: { sync_state: string }) => item.sync_state === 'rejected');
    }, 30_000);
    platform.intercept();
    await traffic.do('POST', `/v1/itsm/tickets/${rejected.id}/retry`);
    await traffic.do('DELETE', `/v1/policies/${another}`);
  }
}

/** Commands of a workspace, some with a wrong signature. */
async function runChat({ traffic, canaries }: CanaryStage, { ada }: People): Promise<void> {
  const slack = { platform: 'slack', workspace: 'T0CANARY' };
  const first = canaries.make('signing secret of Slack', '', 16);
  const workspace = await traffic.do('POST', '/v1/chat/workspaces', { ...slack, signing_secret: first });
  const secret = canaries.make('second signing secret of Slack', '', 16);
  const notification_secret = canaries.make('bot token of Slack', 'xoxb-');
  await traffic.do('PATCH', `/v1/chat/workspaces/${workspace.id}`, { signing_secret: secret, notification_secret });
  const link = await traffic.do('POST', '/v1/chat/links', { ...slack, account: 'U0CANARY', user_id: ada });
  await traffic.do('GET', '/v1/chat/workspaces');
  await traffic.do('GET', '/v1/chat/links');
  const replies = canaries.make('address of an answer in Slack');
  const signed = async (path: string, key: string, body: string): Promise<void> => {
    const time = String(Math.floor(Date.now() / 1000));
    const headers = {
      'x-slack-request-timestamp': time,
      'x-slack-signature': slackSignature(key, time, Buffer.from(body)),
    };
    const type = 'application/x-www-form-urlencoded';
    await traffic.send('POST', `/v1/integrations/slack/${path}`, { body, type, headers, as: null });
  };
  const command = async (key: string, text: string): Promise<void> => {
    const form = { command: '/service-alerts', text, team_id: slack.workspace, user_id: 'U0CANARY' };
    const body = new URLSearchParams({
      ...form,
      trigger_id: crypto.randomUUID(),
      response_url: `https://hooks.slack.com/commands/T0CANARY/1/${replies}`,
    }).toString();
    await signed('commands', key, body);
  };
  const press = async (key: string): Promise<void> => {
    const people = { team: { id: slack.workspace }, user: { id: 'U0CANARY' }, trigger_id: crypto.randomUUID() };
    const payload = { type: 'block_actions', ...people, actions: [{ value: 'ack 1' }] };
    await signed('interactions', key, new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
  };
  for (const path of ['commands', 'interactions']) {
    await traffic.send('GET', `/v1/integrations/slack/${path}`, { as: null });
  }
  await press(secret);
  await press(first);
  await command(secret, 'list');
  await command(secret, 'show 1');
  await command(first, 'list');
  await traffic.do('DELETE', `/v1/chat/links/${link.id}`);
  await traffic.do('DELETE', `/v1/chat/workspaces/${workspace.id}`);
}
