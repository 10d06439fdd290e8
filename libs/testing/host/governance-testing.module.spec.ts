import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Injectable, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { UserDirectory } from '#core';
import {
  Governance,
  GovernanceOperations,
  OrganizationNotFoundError,
  OnGovernanceEvent,
  type EventEnvelope,
} from '#governance';
import { PolicyService } from '#policy';
import { PUBLIC_SERVICES } from '../../../test/support/public-services.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { userDirectoryContract } from '../user-directory.contract.js';
import { GovernanceMemory } from './governance-memory.js';
import { GovernanceTestingModule } from './governance-testing.module.js';
import type { GovernanceTestingOptions } from './testing-options.js';
import { PeopleInMemory } from './people-in-memory.js';

const ORG = randomUUID();
const ASKED = { user_email: 'ada@example.com', provider: 'openai', model: 'gpt-4o' };
const USED = { ...ASKED, occurred_at: '2026-11-20T13:00:00Z', input_tokens: 1_000_000, output_tokens: 0 };

const ANSWER = { id: 'chatcmpl-1', model: 'gpt-4o', usage: { prompt_tokens: 10, completion_tokens: 20 } };

async function* chunksOf(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

@Injectable()
class Listener {
  readonly received: EventEnvelope[] = [];

  @OnGovernanceEvent('budget_warning', 'user_locked_out')
  hear(event: EventEnvelope<'budget_warning' | 'user_locked_out'>): void {
    this.received.push(event);
  }
}

@Module({ providers: [Listener] })
class Host {}

describe('GovernanceTestingModule', () => {
  const started: INestApplicationContext[] = [];

  afterEach(async () => {
    for (const app of started.splice(0)) await app.close();
  });

  async function start(options: GovernanceTestingOptions = {}) {
    const clock = new ManualClock(new Date('2026-11-20T13:00:00Z'));
    const testing = GovernanceTestingModule.forRoot({ clock, organizations: [ORG], ...options });
    const app = await NestFactory.createApplicationContext(
      { module: class {}, imports: [Host, testing] },
      {
        logger: false,
        abortOnError: false,
      },
    );
    started.push(app);
    return { app, governance: app.get(Governance), memory: app.get(GovernanceMemory) };
  }

  it('implements every method of Governance', async () => {
    const { governance, memory } = await start({ organizations: [] });
    // If Governance gets a new method, this table does not compile until the method is added.
    const calls = {
      ensureOrganization: async () => governance.ensureOrganization({ id: ORG, name: 'Example Corp' }),
      decide: async () => governance.decide(ORG, ASKED),
      recordUsage: async () => governance.recordUsage(ORG, [{ ...USED, id: 'call-1' }]),
      release: async () => governance.release(ORG, (await governance.decide(ORG, ASKED)).id),
      call: async () => governance.call(ORG, ASKED, { run: async () => ANSWER }),
      meterStream: async () => {
        const stream = governance.meterStream(ORG, await governance.decide(ORG, ASKED), chunksOf('Hello', ' you'));
        let text = '';
        for await (const chunk of stream) text += chunk;
        return text;
      },
      extendReservation: async () => governance.extendReservation(ORG, (await governance.decide(ORG, ASKED)).id),
    } satisfies Record<keyof Governance, () => Promise<unknown>>;
    expect(await calls.ensureOrganization()).toEqual({ id: ORG, created: true });
    expect(await calls.ensureOrganization()).toEqual({ id: ORG, created: false });
    expect(await calls.decide()).toMatchObject({ allowed: true, reason: 'no_policy_matched' });
    expect(await calls.recordUsage()).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
    expect(await calls.release()).toBe(0);
    expect(memory.recorded.map(({ kind }) => kind)).toEqual(['decision', 'usage', 'decision', 'release']);
    await expect(governance.release(ORG, randomUUID())).rejects.toThrow('There is no decision');
    memory.reset();
    expect(await calls.call()).toBe(ANSWER);
    expect(await calls.meterStream()).toBe('Hello you');
    expect(memory.recordedOf('usage')).toMatchObject([
      { eventId: 'chatcmpl-1', inputTokens: 10, outputTokens: 20 },
      { inputTokens: 0, outputTokens: 3 },
    ]);
    await expect(calls.extendReservation()).rejects.toThrow('has no reservation');
    memory.reset();
    const failing = governance.call(ORG, ASKED, { run: () => Promise.reject(new Error('the provider is away')) });
    await expect(failing).rejects.toThrow('the provider is away');
    expect(memory.recorded.map(({ kind }) => kind)).toEqual(['decision', 'release']);
    memory.block('budget_exceeded');
    await expect(calls.call()).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
  });

  it('provides every service that a host may inject; those of the database throw with an explanation', async () => {
    const { app } = await start();
    for (const service of PUBLIC_SERVICES) expect(app.get(service, { strict: false })).toBeDefined();
    expect(() => app.get(PolicyService).get(ORG, randomUUID())).toThrow(
      'PolicyService.get needs a database, and GovernanceTestingModule has none.',
    );
    expect(() => app.get(GovernanceOperations).checkUp()).toThrow('GovernanceOperations.checkUp needs a database');
  });

  it('refuses unknown organizations, like the real module, and invalid ids', async () => {
    const { governance, memory } = await start({ organizations: [ORG.toUpperCase()] });
    expect(await governance.decide(ORG, ASKED)).toMatchObject({ allowed: true });
    const other = randomUUID();
    const calls = [
      (id: string) => governance.decide(id, ASKED),
      (id: string) => governance.recordUsage(id, [{ ...USED, id: 'a' }]),
      (id: string) => governance.release(id, randomUUID()),
    ];
    for (const call of calls) {
      await expect(call(other)).rejects.toThrow(OrganizationNotFoundError);
      await expect(call('example-corp')).rejects.toThrow('orgId: must be the UUID of an organization');
    }
    expect(memory.recorded.map(({ kind }) => kind)).toEqual(['decision']);
  });

  it.each<[object, string]>([
    [{ polices: [] }, 'polices: unknown option; did you mean policies?'],
    [{ organizations: ['example-corp'] }, 'organizations[0]: must be a UUID, and is a string'],
    [{ people: [{ email: 'ada@example.com', departmnt: 'Sales' }] }, 'people[0].departmnt: unknown option'],
    [{ people: [{ name: 'Ada' }] }, 'people[0].email: missing. Give the address of the person'],
    [{ userDirectory: {} }, 'userDirectory: lacks find(), emails(), recordActivity()'],
    [{ clock: class {} }, 'clock: must be an object, and is a function'],
    [{ decisions: { defaultAction: 'permit' } }, 'decisions.defaultAction: must be one of'],
  ])('refuses invalid options: %j', (options, fault) => {
    expect(() => GovernanceTestingModule.forRoot(options)).toThrow(`- ${fault}`);
  });

  it('decides by the rules of the real module: precedence, conditions, users, idempotency keys', async () => {
    const people = [
      { email: 'ada@example.com', department: 'Sales' },
      { email: 'bob@example.com', status: 'suspended' as const },
    ];
    const policies = [
      { name: 'All may', action: 'allow' as const },
      { name: 'Not Sales', action: 'block' as const, conditions: { department: { eq: 'Sales' } } },
    ];
    const { governance, memory } = await start({ people, policies });
    expect(await governance.decide(ORG, ASKED)).toMatchObject({
      action: 'block',
      policies: [{ name: 'Not Sales', matched_conditions: [{ value: 'Sales' }] }, { name: 'All may' }],
      evaluated_at: '2026-11-20T13:00:00.000Z',
    });
    expect(memory.recordedOf('incident')).toMatchObject([{ severity: 'high', details: { policy_name: 'Not Sales' } }]);
    const reasons = ['bob@example.com', 'eve@example.com'].map(async user_email => {
      return (await governance.decide(ORG, { ...ASKED, user_email })).reason;
    });
    expect(await Promise.all(reasons)).toEqual(['user_suspended', 'unknown_user']);

    const once = { ...ASKED, idempotency_key: 'k' };
    expect((await governance.decide(ORG, once)).id).toBe((await governance.decide(ORG, once)).id);
    await expect(governance.decide(ORG, { ...once, model: 'o3' })).rejects.toThrow('idempotency_key');
    await expect(governance.decide(ORG, { model: 'gpt-4o' } as never)).rejects.toThrow('user_id');
  });

  it('waits for an approval, one per policy, user and model', async () => {
    const { governance } = await start({ policies: [{ name: 'Ask', action: 'require_approval' }] });
    const first = await governance.decide(ORG, ASKED);
    expect(first).toMatchObject({ action: 'require_approval', approval_id: expect.any(String) });
    expect(await governance.decide(ORG, ASKED)).toMatchObject({ approval_id: first.approval_id });
    expect((await governance.decide(ORG, { ...ASKED, model: 'o3' })).approval_id).not.toBe(first.approval_id);
  });

  it('gives everybody the same answer after allowAll and block, until there are policies', async () => {
    const { governance, memory } = await start({ people: [], policies: [{ name: 'None', action: 'block' }] });
    memory.allowAll();
    expect(await governance.decide(ORG, ASKED)).toMatchObject({ allowed: true });
    memory.block('budget_exceeded');
    expect(await governance.decide(ORG, ASKED)).toMatchObject({ allowed: false, reason: 'budget_exceeded' });
    memory.setPolicies([]);
    expect(await governance.decide(ORG, ASKED)).toMatchObject({ reason: 'unknown_user' });
    expect(() => memory.setPolicies([{ name: 'Bad', action: 'block', conditions: { role: { is: 'x' } } }])).toThrow(
      'Bad',
    );
  });

  it('accepts usage like the real module: priced, once, and nothing invalid', async () => {
    const prices = [{ provider: null, model: 'own-*', inputPerMillionUsd: 3, outputPerMillionUsd: 0, version: '1' }];
    const { governance, memory } = await start({ prices });
    const events = [
      { ...USED, id: 'a' },
      { ...USED, id: 'b', model: 'own-1' },
      { ...USED, id: 'c', model: 'nobody-knows' },
      { ...USED, id: 'a' },
      { ...USED, id: 'd', occurred_at: 'yesterday' },
    ];
    expect(await governance.recordUsage(ORG, events)).toMatchObject({
      accepted: 3,
      duplicates: 1,
      rejected: [{ id: 'd', field: 'occurred_at' }],
    });
    expect(memory.recordedOf('usage').map(({ eventId, price }) => [eventId, price])).toEqual([
      ['a', { picodollars: 2_500_000_000_000n, source: 'genai-prices' }],
      ['b', { picodollars: 3_000_000_000_000n, source: 'override' }],
      ['c', null],
    ]);
    memory.reset();
    expect(memory.recorded).toEqual([]);
  });

  it('calls the listeners of an event, each with its own copy, and rejects with their errors', async () => {
    const { app, memory } = await start();
    const left = { reason: 'offboarded', locked_out_at: '2026-11-20T13:00:00.000Z' };
    const data = { user_id: randomUUID(), email: 'ada@example.com', ...left };
    const event = await memory.emit('user_locked_out', data);
    expect(app.get(Listener).received).toEqual([event]);
    expect(event).toMatchObject({ type: 'user_locked_out', data, created_at: '2026-11-20T13:00:00.000Z' });
    // @ts-expect-error the data must be that of the type
    const wrong = (): unknown => memory.emit('policy_violation', { nothing: true });
    expect(wrong).toBeDefined();
  });
});

describe('the users of a test', () => {
  const cases = userDirectoryContract(() => {
    const listed: { id: string; email: string }[] = [];
    let directory = new PeopleInMemory(listed);
    return {
      get directory(): UserDirectory {
        return directory;
      },
      orgId: ORG,
      async create(_orgId, person) {
        const id = randomUUID();
        listed.push({ ...person, id });
        directory = new PeopleInMemory(listed);
        return id;
      },
      async change(_orgId, id, person) {
        listed.splice(
          listed.findIndex(each => each.id === id),
          1,
          { ...person, id },
        );
        directory = new PeopleInMemory(listed);
      },
    };
  }).filter(({ title }) => title !== 'keeps organizations apart');

  it.each(cases)('$title', ({ run }) => run());
});
