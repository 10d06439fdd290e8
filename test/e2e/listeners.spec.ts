import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  Controller,
  Injectable,
  Module,
  Scope,
  type INestApplication,
  type INestApplicationContext,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  EVENT_TYPES,
  GovernanceModule,
  GovernanceOperations,
  OnGovernanceEvent,
  type EventEnvelope,
  type EventType,
  type ForRootOptions,
} from '#governance';
import { OrganizationService } from '#access';
import { OrgDatabase } from '#database';
import { EVENT_CATALOGUE, EventOutbox, OutboxWorker, type NewEvent } from '#outbox';
import { moveTime } from '../support/moved-time.js';
import { createOrganization, createToken } from '../support/seed.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';

type Violation = EventEnvelope<'policy_violation'>;

const opened: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function newDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  opened.push(() => database.drop());
  return database;
}

interface HostParts {
  providers?: Provider[];
  controllers?: Type[];
}

function hostOf(database: TestDatabase, parts: HostParts, options: Partial<ForRootOptions> = {}): Type {
  const keys = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
  const decisions = { unknownUser: 'evaluate' } as const;
  const governance = { keys, decisions, database: { url: database.url, migrations: 'run' as const }, ...options };

  @Module({ imports: [GovernanceModule.forRoot(governance)], ...parts })
  class Host {}

  return Host;
}

const QUIET = { bodyParser: false, logger: false, abortOnError: false } as const;

/** A host with listeners, with an access token of an admin. */
async function startHost(database: TestDatabase, parts: HostParts, options: Partial<ForRootOptions> = {}) {
  const app = await NestFactory.create(hostOf(database, parts, options), QUIET);
  opened.push(() => app.close());
  await app.listen(0, '127.0.0.1');
  const [url, orgId] = [await app.getUrl(), await createOrganization(app, 'Listening')];
  const authorization = `Bearer ${await createToken(app, orgId, 'admin')}`;
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { id: string };
  };
  return { app, orgId, post };
}

/** Fires an event with the example data of the catalog. */
async function fire(app: INestApplicationContext, orgId: string, type: EventType, count = 1): Promise<string[]> {
  const event = { type, data: EVENT_CATALOGUE.find(entry => entry.type === type)?.example.data } as NewEvent;
  const fired = await app.get(OrgDatabase).transaction(orgId, em =>
    app.get(EventOutbox).fire(
      em,
      orgId,
      Array.from({ length: count }, () => event),
    ),
  );
  return fired.map(({ wireId }) => wireId);
}

async function until(check: () => unknown): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`it did not become so: ${check.toString()}`);
    await new Promise(done => setTimeout(done, 10));
  }
}

/** A listener class with its own state. */
function listenerClass() {
  const received: Violation[] = [];

  @Injectable()
  class Alarm {
    @OnGovernanceEvent('policy_violation')
    async onViolation(event: Violation): Promise<void> {
      received.push(event);
    }
  }

  return { Alarm, received };
}

describe('a listener of the host', () => {
  it('gets a violation after its decision, and nothing for decisions that allow', async () => {
    const { Alarm, received } = listenerClass();
    const { post, orgId } = await startHost(await newDatabase(), { providers: [Alarm] });
    const policy = await post('/v1/policies', { name: 'No GPT-4', model: 'gpt-4*', action: 'block' });
    const user_id = randomUUID();
    await post('/v1/decisions', { user_id, provider: 'openai', model: 'claude' });
    const decision = await post('/v1/decisions', { user_id, provider: 'openai', model: 'gpt-4o' });
    await until(() => received.length > 0);
    await new Promise(done => setTimeout(done, 100));
    expect(received).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'policy_violation',
        created_at: expect.stringMatching(/Z$/),
        org_id: orgId,
        data: expect.objectContaining({
          policy_id: policy.id,
          model: 'gpt-4o',
          user_id,
          details: expect.objectContaining({ decision_id: decision.id }),
        }),
      },
    ]);
  });

  it('works without controllers, as a method of a controller, by an alias, and for several types', async () => {
    const received: string[] = [];

    @Controller('desk')
    class Desk {
      @OnGovernanceEvent('budget_warning', 'budget_exceeded')
      @OnGovernanceEvent('device_enrolled')
      note(
        event: EventEnvelope<'budget_warning'> | EventEnvelope<'budget_exceeded'> | EventEnvelope<'device_enrolled'>,
      ) {
        received.push(event.type);
      }
    }

    const { Alarm, received: violations } = listenerClass();
    const parts = { providers: [Alarm, { provide: 'alias', useExisting: Alarm }], controllers: [Desk] };
    const { app, orgId } = await startHost(await newDatabase(), parts, { controllers: false });
    for (const type of EVENT_TYPES) await fire(app, orgId, type);
    await until(() => received.length === 3 && violations.length === 1);
    await new Promise(done => setTimeout(done, 100));
    expect(received.toSorted()).toEqual(['budget_exceeded', 'budget_warning', 'device_enrolled']);
    expect(violations).toHaveLength(1);
  });

  it('is called again after 1, 5, 30 and 300 seconds while it throws, is then dead-lettered, and doctor reports it', async () => {
    const received: string[] = [];

    @Injectable()
    class Broken {
      @OnGovernanceEvent('policy_violation')
      onViolation({ id }: Violation): void {
        received.push(id);
        throw new Error('the pager is out of order');
      }
    }

    const database = await newDatabase();
    const { Alarm, received: others } = listenerClass();
    const parts = { providers: [Broken, Alarm] };
    const { app, orgId } = await startHost(database, parts, { outbox: { pollIntervalMs: 50 } });
    const time = await moveTime(database, { standsAt: new Date('2026-11-20T12:00:00.000Z') });
    const faults = async (): Promise<unknown> =>
      (await database.asOwner<{ faults: number }>('select faults from governance.tasks'))[0]?.faults;
    const [id] = await fire(app, orgId, 'policy_violation');
    for (const [at, seconds] of [1, 5, 30, 300].entries()) {
      await until(async () => (await faults()) === at + 1);
      await time.advance(seconds * 1_000 - 1);
      await new Promise(done => setTimeout(done, 120));
      expect(received).toHaveLength(at + 1);
      await time.advance(1);
    }
    await until(async () => (await faults()) === 5);
    await time.advance(86_400_000);
    await new Promise(done => setTimeout(done, 150));
    expect(received).toEqual(Array(5).fill(id));
    expect(others).toHaveLength(1);
    const findings = await app.get(GovernanceOperations).checkUp();
    expect(findings.find(({ check }) => check === 'background work')).toMatchObject({
      ok: false,
      seen: 'listener: 1 dead-lettered, first by: the pager is out of order',
    });
  });

  it('is called once per event by two replicas together', async () => {
    const database = await newDatabase();
    const [one, two] = [listenerClass(), listenerClass()];
    const { app, orgId } = await startHost(database, { providers: [one.Alarm] });
    const other = await startHost(database, { providers: [two.Alarm] });
    const ids = [
      ...(await fire(app, orgId, 'policy_violation', 100)),
      ...(await fire(other.app, orgId, 'policy_violation', 100)),
    ];
    const received = (): Violation[] => [...one.received, ...two.received];
    await until(() => received().length >= 200);
    await new Promise(done => setTimeout(done, 100));
    expect(
      received()
        .map(event => event.id)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect([one.received.length > 0, two.received.length > 0]).toEqual([true, true]);
  });

  it('gets events that are fired while the host starts', async () => {
    const { Alarm, received } = listenerClass();

    @Injectable()
    class Starter {
      constructor(
        private readonly database: OrgDatabase,
        private readonly outbox: EventOutbox,
        private readonly organizations: OrganizationService,
      ) {}

      async onModuleInit(): Promise<void> {
        const { id: orgId } = await this.organizations.create('Shop');
        const data = EVENT_CATALOGUE.find(({ type }) => type === 'policy_violation')?.example.data;
        await this.database.transaction(orgId, em =>
          this.outbox.fire(em, orgId, [{ type: 'policy_violation', data } as NewEvent]),
        );
      }
    }

    const database = await newDatabase();
    const keys = `k1:${Buffer.alloc(32, 3).toString('base64')}`;
    const governance = GovernanceModule.forRoot({ keys, database: { url: database.url, migrations: 'run' } });

    @Module({ imports: [governance], providers: [Alarm, Starter] })
    class Host {}

    const app: INestApplication = await NestFactory.create(Host, QUIET);
    opened.push(() => app.close());
    await app.init();
    await until(() => received.length === 1);
  });
});

describe('at boot', () => {
  it('refuses two listeners with one name', async () => {
    const parts = { providers: [listenerClass().Alarm, { provide: 'other', useClass: listenerClass().Alarm }] };
    const boot = NestFactory.createApplicationContext(hostOf(await newDatabase(), parts), QUIET);
    await expect(boot).rejects.toThrow('listeners: two are named Alarm.onViolation; provide the class once');
  });

  it.each([Scope.REQUEST, Scope.TRANSIENT])('refuses a listener without a kept instance (%s)', async scope => {
    @Injectable({ scope })
    class Fleeting {
      @OnGovernanceEvent('policy_violation')
      onViolation(): void {}
    }

    const boot = NestFactory.createApplicationContext(hostOf(await newDatabase(), { providers: [Fleeting] }), QUIET);
    await expect(boot).rejects.toThrow('Fleeting.onViolation is made anew per request or per injection');
  });
});

describe('the compiler', () => {
  it('refuses a method whose parameter is the data of another event', () => {
    class Typed {
      @OnGovernanceEvent('policy_violation')
      fits({ data }: Violation): string {
        return data.policy_id;
      }

      // @ts-expect-error -- a violation has no data of a device
      @OnGovernanceEvent('policy_violation')
      other({ data }: EventEnvelope<'device_enrolled'>): string {
        return data.device_id;
      }

      // @ts-expect-error -- no type of event
      @OnGovernanceEvent('ping')
      ping(): void {}

      // @ts-expect-error -- no type at all
      @OnGovernanceEvent()
      none(): void {}
    }
    expect(new Typed()).toBeDefined();
  });
});

describe('readiness', () => {
  it('fails if this process does not run the background work that it is configured for', async () => {
    const database = await newDatabase();
    const { app } = await startHost(database, {}, { health: true });
    const ready = async (): Promise<unknown> => (await fetch(`${await app.getUrl()}/health/ready`)).json();
    expect(await ready()).toEqual({ status: 'ok' });
    const healthy = jest.spyOn(app.get(OutboxWorker), 'isHealthy', 'get').mockReturnValue(false);
    expect(await ready()).toEqual({ status: 'unavailable', missing: ['background workers'] });
    healthy.mockRestore();
  });
});
