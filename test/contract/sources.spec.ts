// One file for three contracts, because they share one running app and its database.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import {
  DeviceDirectory,
  newId,
  SpendGuard,
  type DeviceStatus,
  type SpendRequest,
  type SpendVerdict,
  type SqlTransaction,
} from '#core';
import {
  operatorActor,
  PrincipalResolver,
  PrincipalResolvers,
  ROLE_SCOPES,
  TokenService,
  type HttpRequest,
  type Principal,
} from '#access';
import { OrgDatabase, sqlOf } from '#database';
import { SessionPrincipals } from '../../apps/examples/docs-snippets/src/session.principals.js';
import { Staff } from '../../apps/examples/docs-snippets/src/staff.js';
import { enroll, newUser } from '../e2e/devices/devices.support.js';
import { addBudget, MODEL, openShop } from '../e2e/spend.support.js';
import { holds } from '../support/contracts.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import {
  deviceDirectoryContract,
  principalResolverContract,
  spendGuardContract,
  type DeviceDirectoryGround,
  type PrincipalResolverGround,
  type SpendGuardGround,
} from '../../libs/testing/index.js';

const DAY_MS = 24 * 60 * 60 * 1000;
type Make<Ground> = () => Promise<Ground> | Ground;

let app: TestApp;
let tokens = 0;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

function thrown(message: string): never {
  throw new Error(message);
}

const bearer = (secret: string): HttpRequest => ({ headers: { authorization: `Bearer ${secret}` } });

/** The module's resolver, with its database. */
async function accessTokens(
  resolver = app.app.get(PrincipalResolver, { strict: false }),
): Promise<PrincipalResolverGround> {
  const service = app.app.get(TokenService, { strict: false });
  const { record, token } = await service.issue(app.orgId, { name: `Key ${++tokens}`, role: 'agent' });
  return {
    resolver,
    request: () => bearer(token),
    refused: [bearer(`${token}x`), bearer(token.slice(0, -1)), bearer(token.toUpperCase())],
    secret: token,
    end: () => service.revoke(operatorActor(app.orgId), record.id),
  };
}

const COOKIE = 'session=0bd8a3b5f1';

function sessions(): PrincipalResolverGround {
  const staff = new Staff();
  const ada = { id: randomUUID(), email: 'ada@example.com', name: 'Ada', team: null, isAdmin: false, hasLeft: false };
  staff.signIn(ada, COOKIE);
  return {
    resolver: new SessionPrincipals(staff),
    request: () => ({ headers: { cookie: COOKIE } }),
    refused: [{ headers: { cookie: 'session=another' } }],
    secret: COOKIE,
  };
}

/** A sign-in in memory with one fault. */
function signIn(
  resolve: (known: Principal | null, request: HttpRequest, state: { isAway: boolean }) => Principal | null,
): Make<PrincipalResolverGround> {
  return () => {
    const ada: Principal = { orgId: 'org', kind: 'host', id: 'ada', name: 'Ada', scopes: new Set(ROLE_SCOPES.member) };
    const state = { isAway: false, isSignedIn: true };
    const known = ({ headers }: HttpRequest): Principal | null =>
      headers.cookie === COOKIE && state.isSignedIn ? ada : null;
    return {
      resolver: { resolve: async request => resolve(known(request), request, state) },
      request: () => ({ headers: { cookie: COOKIE } }),
      refused: [{ headers: { cookie: 'session=another' } }],
      secret: COOKIE,
      end: () => void (state.isSignedIn = false),
      cutOff: () => void (state.isAway = true),
    };
  };
}

const anybody: Principal = { orgId: 'org', kind: 'host', id: 'x', name: 'X', scopes: new Set(ROLE_SCOPES.member) };
let last: Principal | null = null;
let asked = 0;

holds<Make<PrincipalResolverGround>>('PrincipalResolver', {
  cases: principalResolverContract,
  kept: {
    'access tokens': () => () => accessTokens(),
    'access tokens after the sessions of a host': () => () =>
      accessTokens(
        new PrincipalResolvers([new SessionPrincipals(new Staff()), app.app.get(PrincipalResolver, { strict: false })]),
      ),
    'the sessions of a host': () => sessions,
    'a sign-in that says when it is away': () =>
      signIn((known, _request, { isAway }) => (isAway ? thrown('away') : known)),
  },
  broken: {
    'gives no name': () => signIn(known => known && { ...known, name: '' }),
    'gives scopes that do not exist': () =>
      signIn(known => known && { ...known, scopes: new Set(['everything'] as never[]) }),
    'lets everybody in': () => signIn(known => known ?? anybody),
    'lets in who shows anything': () => signIn((known, { headers }) => known ?? (headers.cookie ? anybody : null)),
    'throws for what it does not know': () => signIn(known => known ?? thrown('unknown')),
    'is somebody else each time': () => signIn(known => known && { ...known, id: String(++asked) }),
    'removes the credential': () =>
      signIn((known, { headers }) => {
        headers.cookie = '';
        return known;
      }),
    'remembers the last answer': () => signIn(known => (last = known ?? last)),
    'shows the credential': () => signIn((known, { headers }) => known && { ...known, id: headers.cookie ?? '' }),
    'never forgets a credential': () =>
      signIn((known, { headers }) => known ?? (headers.cookie === COOKIE ? anybody : null)),
    'takes an outage for nobody': () => signIn((known, _request, { isAway }) => (isAway ? null : known)),
  },
});

/** The module's directory, with its database. */
async function storedDevices(): Promise<DeviceDirectoryGround> {
  const { call, orgId } = await app.addOrganization();
  let isLater = false;
  return {
    directory: app.app.get(DeviceDirectory, { strict: false }),
    orgId,
    otherOrgId: app.orgId,
    async enroll() {
      const userId = await newUser(call);
      const { body } = await enroll(app, userId, { call });
      return { deviceId: body.device.id, userId };
    },
    async revoke(deviceId) {
      const { status, text } = await call('POST', `/v1/devices/${deviceId}/revoke`);
      if (status >= 300) throw new Error(text);
    },
    async expire() {
      isLater = true;
      app.clock.advance(398 * DAY_MS);
    },
    async close() {
      if (isLater) app.clock.advance(-398 * DAY_MS);
    },
  };
}

interface Device {
  readonly orgId: string;
  readonly userId: string;
  status: DeviceStatus;
}

/** Devices in memory. Each broken variant has one fault. */
class Devices extends DeviceDirectory {
  readonly all = new Map<string, Device>();
  isCutOff = false;

  override statusOf(orgId: string, deviceId: string, userId: string | undefined): DeviceStatus {
    if (this.isCutOff) throw new Error('away');
    return this.find(orgId, deviceId, userId)?.status ?? 'unknown';
  }

  find(orgId: string, deviceId: string, userId: string | undefined): Device | undefined {
    const device = this.all.get(deviceId);
    return device?.orgId === orgId && device.userId === userId ? device : undefined;
  }

  set(deviceId: string, status: DeviceStatus): void {
    const device = this.all.get(deviceId);
    if (device) device.status = status;
  }
}

const devices = (make: () => Devices): Make<DeviceDirectoryGround> => {
  return () => {
    const directory = make();
    return {
      ...{ directory, orgId: 'org' },
      async enroll() {
        const [deviceId, userId] = [randomUUID(), randomUUID()];
        directory.all.set(deviceId, { orgId: 'org', userId, status: 'active' });
        return { deviceId, userId };
      },
      revoke: async id => directory.set(id, 'revoked'),
      expire: async id => directory.set(id, 'expired'),
      cutOff: () => void (directory.isCutOff = true),
    };
  };
};
const faulty = (change: (devices: Devices) => Partial<Devices>) => () =>
  devices(() => {
    const made = new Devices();
    return Object.assign(made, change(made));
  });

holds<Make<DeviceDirectoryGround>>('DeviceDirectory', {
  cases: deviceDirectoryContract,
  kept: { 'enrolled devices': () => storedDevices, 'devices in memory': () => devices(() => new Devices()) },
  broken: {
    'knows none': faulty(() => ({ statusOf: () => 'unknown' as const })),
    'asks nobody whose it is': faulty(all => ({ find: (_orgId, id) => all.all.get(id) })),
    'throws for what it does not know': faulty(all => ({ find: (_orgId, id) => all.all.get(id) ?? thrown('unknown') })),
    'keeps organizations together': faulty(all => ({
      find: (_orgId, id, userId) => [all.all.get(id)].find(device => device?.userId === userId),
    })),
    'misses changes': faulty(() => ({ set: () => undefined })),
    'revokes all': faulty(all => ({
      set: (_id, status) => all.all.forEach(device => void (device.status = status)),
    })),
    'takes expired for revoked': faulty(all => ({ set: id => void ((all.all.get(id) as Device).status = 'revoked') })),
    'takes an outage for absence': faulty(all => ({
      statusOf: (orgId, id, userId) => (all.isCutOff ? 'unknown' : (all.find(orgId, id, userId)?.status ?? 'unknown')),
    })),
  },
});

/** The module's guard, with its database. */
async function budgets(): Promise<SpendGuardGround> {
  const shop = await openShop(app);
  const request = (department: string): SpendRequest => {
    const at = app.clock.now();
    return {
      ...{ decisionId: newId(at), userId: shop.userId, department, ...MODEL, at },
      ...{ inputTokens: 1_000, outputTokens: 0 },
    };
  };
  return {
    guard: app.app.get(SpendGuard, { strict: false }),
    ...{ orgId: shop.orgId, otherOrgId: app.orgId },
    request: () => request('Sales'),
    unguarded: () => request('Research'),
    async limit(requests) {
      await addBudget(shop.call, requests / 1_000, { scope: 'department', department: 'Sales' });
    },
    transaction: work => app.app.get(OrgDatabase, { strict: false }).transaction(shop.orgId, em => work(sqlOf(em))),
  };
}

const LIMIT = { id: 'limit', name: 'The limit' };
const COST = 7n;

/** A limit in memory. Each broken variant has one fault. */
class Limit extends SpendGuard {
  readonly held = new Map<string, bigint>();
  room = 0;
  isCutOff = false;

  override async reserve(_orgId: string, request: SpendRequest): Promise<SpendVerdict | undefined> {
    return this.decide(request);
  }

  override async reserveWithin(
    tx: SqlTransaction,
    _orgId: string,
    request: SpendRequest,
  ): Promise<SpendVerdict | undefined> {
    const verdict = this.decide(request);
    if (verdict?.allowed) await tx.query('hold', [request.decisionId]);
    return verdict;
  }

  override async release(orgId: string, decisionId: string): Promise<bigint> {
    const held = orgId === 'org' ? (this.held.get(decisionId) ?? 0n) : 0n;
    if (held > 0n) this.held.delete(decisionId);
    return held;
  }

  decide(request: SpendRequest): SpendVerdict | undefined {
    if (this.isCutOff) throw new Error('away');
    if (request.department !== 'Sales') return undefined;
    if (this.held.size >= this.room) return { allowed: false, budgets: [LIMIT] };
    this.held.set(request.decisionId, COST);
    return this.granted(request);
  }

  granted({ decisionId, at }: SpendRequest): SpendVerdict {
    const reservation = { id: decisionId, picodollars: COST, expiresAt: new Date(at.getTime() + 1_000) };
    return { allowed: true, reservation };
  }
}

const limit = (make: () => Limit): Make<SpendGuardGround> => {
  return () => {
    const guard = make();
    const request = (department: string): SpendRequest => ({
      ...{ decisionId: randomUUID(), userId: randomUUID(), department, ...MODEL, at: new Date(0) },
      ...{ inputTokens: 1, outputTokens: 1 },
    });
    return {
      ...{ guard, orgId: 'org' },
      request: () => request('Sales'),
      unguarded: () => request('Research'),
      limit: async requests => void (guard.room = requests),
      async transaction(work) {
        const taken: string[] = [];
        const query = async (_sql: string, [id]: readonly unknown[] = []): Promise<never[]> => {
          taken.push(String(id));
          return [];
        };
        return work({ query }).catch((error: unknown) => {
          for (const id of taken) guard.held.delete(id);
          throw error;
        });
      },
      cutOff: () => void (guard.isCutOff = true),
    };
  };
};
const loose = (change: (guard: Limit) => Partial<Limit>) => () =>
  limit(() => {
    const made = new Limit();
    return Object.assign(made, change(made));
  });
const pause = (): Promise<void> => new Promise(done => setImmediate(done));

holds<Make<SpendGuardGround>>('SpendGuard', {
  cases: spendGuardContract,
  kept: { 'budgets that block': () => budgets, 'a limit in memory': () => limit(() => new Limit()) },
  broken: {
    'guards everything': loose(guard => ({
      decide: request => Limit.prototype.decide.call(guard, { ...request, department: 'Sales' }),
    })),
    'has expired already': loose(guard => ({
      granted: request => Limit.prototype.granted.call(guard, { ...request, at: new Date(-10_000) }),
    })),
    'refuses nothing': loose(guard => ({ decide: request => guard.granted(request) })),
    'names no limit': loose(guard => ({
      decide: request => {
        const verdict = Limit.prototype.decide.call(guard, request);
        return verdict?.allowed === false ? { allowed: false, budgets: [] } : verdict;
      },
    })),
    'looks, waits and takes': loose(guard => ({
      reserve: async (_orgId, request) => {
        const hasRoom = guard.held.size < guard.room;
        await pause();
        if (!hasRoom) return { allowed: false, budgets: [LIMIT] };
        guard.held.set(request.decisionId, COST);
        return guard.granted(request);
      },
    })),
    'gives nothing back': loose(() => ({ release: async () => 0n })),
    'gives back again and again': loose(guard => ({ release: async (_orgId, id) => guard.held.get(id) ?? 0n })),
    'gives back what nobody holds': loose(() => ({ release: async () => COST })),
    'keeps organizations together': loose(guard => ({
      release: (_orgId, id) => Limit.prototype.release.call(guard, 'org', id),
    })),
    'forgets what a transaction holds': loose(guard => ({
      reserveWithin: async (_tx, _orgId, request) => guard.granted(request),
    })),
    'holds outside of the transaction': loose(guard => ({
      reserveWithin: async (_tx, _orgId, request) => guard.decide(request),
    })),
    'allows everything while it is away': loose(guard => ({
      decide: request => (guard.isCutOff ? undefined : Limit.prototype.decide.call(guard, request)),
    })),
  },
});
