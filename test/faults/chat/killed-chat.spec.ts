import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asObject, asText } from '#itsm';
import { APPROVALS, GRACE, INCIDENTS } from '../../e2e/itsm/chat-notices.support.js';
import { startSlack, type Slack, type SlackMessage } from '../../emulators/slack/workspace.js';
import { startTeamsWorkflow, TEAMS_HOST, type TeamsWorkflow } from '../../emulators/teams/workflow.js';
import { emulatedHosts } from '../../support/emulated-hosts.js';
import { slow } from '../../support/endpoint-behaviours.js';
import { toBehaviour, type PlatformEndpoint } from '../../support/itsm/platform-endpoint.js';
import { moveTime, type MovedTime } from '../../support/moved-time.js';
import type { StandaloneProcess } from '../../support/standalone-process.js';
import type { Call } from '../../support/test-app.js';
import { startBundledApp } from '../processes/bundled-app.js';
import { IS_FULL, newChance, report, sleep, until } from '../processes/chance.js';
import { setStage, type Stage } from '../processes/stage.js';
import { Person } from './person.js';

const KILLS = IS_FULL ? 40 : 3;
/** Number of new incidents, and of new approval requests, before each kill. */
const EACH = IS_FULL ? 20 : 10;
const KILLED_WITHIN_MS = 1_000;
/** Maximum answer time of the platforms. It is long enough that most kills occur between a post and its answer. */
const ANSWERED_WITHIN_MS = 60;
/** Longer than the lease of a notification. */
const LEASE_MS = 41_000;
/** Number of parallel replies of a process. After a crash, each of these replies may be sent twice. */
const REPLY_SLOTS = 8;

const chance = newChance();
let stage: Stage;
let time: MovedTime;
let slack: Slack;
let teams: TeamsWorkflow;
let app: StandaloneProcess;

beforeAll(async () => {
  stage = await setStage();
  time = await moveTime(stage.app.database);
  const { authority } = stage;
  [slack, teams] = await Promise.all([startSlack({ authority }), startTeamsWorkflow({ authority })]);
  for (const platform of [slack, teams]) delay(platform);
});

afterAll(async () => {
  if (app && !app.hasEnded()) await app.end('SIGKILL');
  await stage?.close();
  await Promise.all([slack?.close(), teams?.close()]);
});

function delay(platform: PlatformEndpoint): void {
  platform.intercept((_, perform) => slow(chance.below(ANSWERED_WITHIN_MS), toBehaviour(perform())));
}

function start(): Promise<StandaloneProcess> {
  const hosts = { 'slack.com': slack.port, 'hooks.slack.com': slack.port, [TEAMS_HOST]: teams.port };
  return startBundledApp(stage, undefined, emulatedHosts(hosts));
}

/**
 * Registers both channels, links a person, and creates a policy for each kind of notification. Returns the id of the
 * user who makes the requests.
 */
async function setUp(call: Call): Promise<string> {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await call('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`);
    return String(answer.body.id);
  };
  const inSlack = { platform: 'slack', workspace: slack.teamId };
  const secrets = { signing_secret: slack.signingSecret, notification_secret: slack.botToken };
  const notifications = { incidents: INCIDENTS, approvals: APPROVALS };
  await made('/v1/chat/workspaces', { ...inSlack, ...secrets, notifications });
  const card = { notification_secret: teams.webhookUrl, notifications: { incidents: {}, approvals: {} } };
  await made('/v1/chat/workspaces', { platform: 'teams', workspace: 'Security', ...card });
  const grace = await made('/v1/users', { email: 'grace@example.com', name: 'Grace Hopper' });
  await made('/v1/chat/links', { ...inSlack, account: GRACE, user_id: grace, role: 'admin' });
  await made('/v1/policies', { name: 'No large models', action: 'block', model: 'large-*' });
  await made('/v1/policies', { name: 'Ask first', action: 'require_approval', model: 'ask-*' });
  return made('/v1/users', { email: 'ada@example.com', name: 'Ada' });
}

/** A notification in the database. */
interface Notice {
  id: string;
  subjectId: string;
  stage: string;
  platform: string;
}

async function rows<Row extends object>(sql: string, orgId: string): Promise<Row[]> {
  return stage.app.database.asOwner<Row>(sql, [orgId]);
}

const LEFT = `select 1 as one from governance.tasks where org_id = $1 and queue in ('chat-notices', 'chat-reply')`;
const MAKE_DUE = `update governance.tasks set due_at = governance.now()
where org_id = $1 and queue in ('chat-notices', 'chat-reply') and lease_token is null`;
const NOTICES = `select n.id, n.subject_id as "subjectId", n.stage, w.platform from governance.chat_notices n
join governance.chat_workspaces w on w.org_id = n.org_id and w.id = n.workspace_id where n.org_id = $1`;
const DECIDED = `select resource_id as id, count(*)::int as times from governance.audit_log
where org_id = $1 and action in ('incident.acknowledged', 'approval.approved', 'approval.denied') group by resource_id`;

function cardsOf(subjectId: string): number {
  // Removes backslashes first, because cards escape the hyphens of ids.
  return teams.runs.filter(({ card }) => JSON.stringify(card).replaceAll('\\', '').includes(subjectId)).length;
}

async function unsettled(orgId: string): Promise<Notice[]> {
  const notices = await rows<Notice>(NOTICES, orgId);
  return notices.filter(({ platform, stage: reached, subjectId }) => {
    return platform === 'teams' && reached === 'pending' && cardsOf(subjectId) > 0;
  });
}

function keyOf({ metadata }: SlackMessage): string {
  return asText(asObject(asObject(metadata)?.['event_payload'])?.['id']) ?? '';
}

const compare = (one: string, other: string): number => one.localeCompare(other);

describe('chats while the app is killed repeatedly', () => {
  it(
    'get each notification, exactly once if the platform can be read, and each button press takes effect once',
    async () => {
      report('chance', { seed: chance.seed });
      const { orgId, call } = await stage.app.addOrganization();
      const userId = await setUp(call);
      app = await start();
      const person = new Person(slack, () => app.url);
      const over = new AbortController();
      const pressing = person.work(over.signal);
      let subjects = 0;
      /**
       * Subjects whose card was posted but not recorded as sent when the app was killed. A subject counts once for each
       * such kill.
       */
      const inDoubt: string[] = [];
      const happen = async (): Promise<void> => {
        for (let nth = 0; nth < EACH; nth++) {
          for (const model of [`large-${subjects}`, `ask-${subjects}`]) {
            const request = { user_id: userId, provider: 'openai', model, idempotency_key: model };
            // The app may answer 503 on a busy machine. Because of the idempotency key, all attempts together are one
            // decision.
            await until('the request is decided', 60_000, async () => {
              const { status, text } = await call('POST', '/v1/decisions', request);
              if (status !== 200 && status !== 503) throw new Error(`a decision answered ${status}: ${text}`);
              return status === 200;
            });
          }
          subjects += 2;
        }
      };
      for (let kill = 0; kill < KILLS; kill++) {
        const before = slack.received.length;
        await happen();
        await until('the app posts', 60_000, () => slack.received.length > before);
        await sleep(chance.below(KILLED_WITHIN_MS));
        await app.end('SIGKILL');
        for (const { subjectId } of await unsettled(orgId)) inDoubt.push(subjectId);
        // Ends the leases of the killed process. No other process is running meanwhile.
        await time.advance(LEASE_MS);
        app = await start();
      }
      await until('everything is sent', 120_000, async () => {
        await rows(MAKE_DUE, orgId);
        const isQuiet = (await rows(LEFT, orgId)).length === 0;
        if (isQuiet && slack.messages.length >= subjects) over.abort();
        return isQuiet && over.signal.aborted;
      });
      await pressing;
      await until('everything is answered', 120_000, async () => {
        await rows(MAKE_DUE, orgId);
        return (await rows(LEFT, orgId)).length === 0;
      });

      const notices = await rows<Notice>(NOTICES, orgId);
      const idsIn = (platform: string): Notice[] => notices.filter(each => each.platform === platform);
      expect(notices.filter(({ stage: reached }) => reached !== 'sent')).toEqual([]);
      expect([idsIn('slack').length, idsIn('teams').length]).toEqual([subjects, subjects]);
      // The app can read the messages in Slack, so it sends none twice.
      expect(slack.messages.map(keyOf).toSorted(compare)).toEqual(
        idsIn('slack')
          .map(({ id }) => id)
          .toSorted(compare),
      );
      // The app cannot read the cards of a workflow, so it may send a card again if the answer was lost.
      const cards = idsIn('teams').map(({ subjectId }) => ({ subjectId, times: cardsOf(subjectId) }));
      const mayCome = (subjectId: string): number => 1 + inDoubt.filter(id => id === subjectId).length;
      expect(cards.filter(({ subjectId, times }) => times < 1 || times > mayCome(subjectId))).toEqual([]);
      expect(teams.runs.filter(({ status }) => status === 'Failed')).toEqual([]);
      // Each request is decided once, and each message shows the decision.
      const decided = await rows<{ id: string; times: number }>(DECIDED, orgId);
      expect([decided.length, decided.filter(({ times }) => times !== 1)]).toEqual([subjects, []]);
      expect(slack.messages.filter(({ blocks }) => JSON.stringify(blocks).includes('"value"'))).toEqual([]);
      const answers = slack.ephemerals.length;
      expect(answers).toBeGreaterThanOrEqual(person.taken);
      expect(answers).toBeLessThanOrEqual(person.taken + person.unanswered + KILLS * REPLY_SLOTS);
      report('killed chat', {
        ...{ kills: KILLS, subjects, inDoubt: inDoubt.length, cardsTwice: teams.runs.length - subjects },
        ...{ presses: person.taken, pressedAgain: person.unanswered, answers },
      });
    },
    IS_FULL ? 3_600_000 : 240_000,
  );
});
