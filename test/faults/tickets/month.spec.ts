import { afterEach, describe, expect, it } from '@jest/globals';
import { makeAuthority, trustInThisProcess, type Authority } from '../../support/certificates.js';
import { describeWhere } from '../../support/describe-where.js';
import { ManualClock } from '../../support/manual-clock.js';
import { moveTime } from '../../support/moved-time.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { IS_FULL, newChance, report } from '../processes/chance.js';
import { KEYS } from '../processes/stage.js';
import { startAzureDevOpsWithPeople } from './platforms/azure-devops.js';
import { startGitLabWithPeople } from './platforms/gitlab.js';
import { startDataCenterWithPeople } from './platforms/jira-data-center.js';
import { startJiraWithPeople } from './platforms/jira.js';
import type { PlatformWithPeople } from './platforms/platform-with-people.js';
import { startPagerDutyWithPeople } from './platforms/pagerduty.js';
import { startServiceNowWithPeople } from './platforms/servicenow.js';
import { markLeases } from './month-requests.js';
import { Month, type MonthPlan } from './month.js';
import { KillableWorker } from './workers.js';

const PLATFORMS = [
  ...[startJiraWithPeople, startServiceNowWithPeople, startGitLabWithPeople, startAzureDevOpsWithPeople],
  ...[startDataCenterWithPeople, startPagerDutyWithPeople],
];
const PUBLIC_URL = 'https://governance.example.com';
const TROUBLE = { lost: 0.02, late: 0.01, refused: 0.02, met: 0.02 };

const FEW = { actions: 3, resolved: 2 };
const SMALL: MonthPlan = { incidents: 6, steps: 2, ...FEW, shares: { ...TROUBLE, killed: 0.02 } };
const MANY = { actions: 9, resolved: 6 };
const LONG: MonthPlan = IS_FULL
  ? { incidents: Math.ceil(10_000 / PLATFORMS.length), steps: 120, ...MANY, shares: { ...TROUBLE, killed: 0.002 } }
  : { incidents: 100, steps: 10, ...FEW, shares: { ...TROUBLE, killed: 0.01 } };

const IS_WANTED = IS_FULL || process.env['FAULTS_SEED'] !== undefined;
/** Time limits of the tests on a busy machine. */
const LONGEST_MS = IS_FULL ? 2 * 3_600_000 : 1_800_000;
const SMALL_LONGEST_MS = 300_000;

const chance = newChance();
const open: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function setMonth(plan: MonthPlan, startWorker?: typeof workerOf): Promise<Month> {
  const authority = await makeAuthority();
  open.push(trustInThisProcess(authority.caPem));
  const clock = new ManualClock();
  const platforms: PlatformWithPeople[] = [];
  for (const start of PLATFORMS) {
    const platform = await start(authority, () => clock.now());
    open.push(() => platform.endpoint.close());
    platforms.push(platform);
  }
  const app = await startTestApp({
    ...{ keys: KEYS, time: clock, egress: { allow: ['127.0.0.0/8', '::1/128'] } },
    itsm: { publicUrl: PUBLIC_URL, dashboardUrl: PUBLIC_URL, reconcileMinutes: 60 },
    outbox: { workers: startWorker === undefined },
  });
  open.push(() => app.close());
  const time = await moveTime(app.database, { standsAt: clock.now() });
  const worker = await startWorker?.(app, authority, clock.now());
  if (worker) open.push(() => worker.close());
  return Month.begin({ app, clock, time, chance, ...(worker && { worker }) }, plan, platforms);
}

function workerOf(app: TestApp, authority: Authority, now: Date): Promise<KillableWorker> {
  const settings = { databaseUrl: app.database.url, keys: KEYS, publicUrl: PUBLIC_URL };
  return KillableWorker.start(authority, settings, now, () => markLeases(app));
}

async function passes(plan: MonthPlan, startWorker?: typeof workerOf): Promise<void> {
  const month = await setMonth(plan, startWorker);
  const began = performance.now();
  await month.pass();
  const seconds = Math.round((performance.now() - began) / 1_000);
  report('A month', { seed: chance.seed, seconds, ...month.figures() });
  const sentences = (await month.differences()).flatMap(({ platform, found }) =>
    found.map(({ rule, about, details }) => `${platform}: ${rule}: ${about}: ${details}`),
  );
  expect(sentences).toEqual([]);
  // Without tickets, there would be no differences either.
  expect(Math.min(...month.ticketCounts())).toBeGreaterThanOrEqual(plan.incidents / 2);
  // Every situation that the rules cover has occurred at least once.
  expect(Object.entries(month.counts()).filter(([, count]) => count === 0)).toEqual([]);
}

describe('a month of incidents, with lost and late answers, workers that lose their leases, and changes by people', () => {
  it(
    'leaves the platforms in the state that the incidents and the people require',
    () => passes(SMALL),
    SMALL_LONGEST_MS,
  );
});

describeWhere(
  !IS_WANTED && 'takes minutes; FAULTS_SEED=11 or FAULTS=full',
  'a long month of incidents, with answers lost and late, workers killed, and people at work',
  () => {
    it(
      'leaves the platforms in the state that the incidents and the people require',
      () => passes(LONG, workerOf),
      LONGEST_MS,
    );
  },
);
