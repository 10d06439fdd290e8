import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GovernanceOperations } from '#governance';
import { OutboxWorker } from '#outbox';
import { moveTime } from '../../support/moved-time.js';
import type { TestApp } from '../../support/test-app.js';
import { fireEvents, registerWebhook } from '../../support/webhooks.js';
import { report, sleep, until } from '../processes/chance.js';
import { prepareReplicas, type BegunPost, type Replicas } from './replicas.js';
import { signersOf } from './signatures.js';

const K1 = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const K2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`;
const K3 = `k3:${Buffer.alloc(32, 3).toString('base64')}`;
const WEBHOOKS = 30;
const FIRE_EVERY_MS = 150;
/** Time for deliveries at each step of the rotation. */
const STEP_MS = 1_000;
/** Longer than the longest delay after a fault. */
const AFTER_A_FAULT_MS = 301_000;
const FAULTS = 5;

interface Hook {
  id: string;
  path: string;
  secret: string;
}

let replicas: Replicas;

beforeEach(async () => {
  replicas = await prepareReplicas();
});

afterEach(() => replicas?.close());

async function register(replica: TestApp, path: string): Promise<Hook> {
  const { id, signing_secret: secret } = await registerWebhook(replica.call, {
    url: new URL(path, replicas.endpoint.url).href,
  });
  return { id: String(id), path, secret: String(secret) };
}

async function rotate(replica: TestApp, { id }: Hook, overlap_hours: number): Promise<string> {
  const { status, body } = await replica.call('POST', `/v1/webhooks/${id}/rotate-secret`, { overlap_hours });
  expect(status).toBe(200);
  return String(body.signing_secret);
}

function to({ path }: Hook): BegunPost[] {
  return replicas.begun.filter(({ url }) => new URL(url).pathname === path);
}

async function statuses({ id }: Hook): Promise<string[]> {
  const rows = await replicas.database.asOwner<{ status: string }>(
    'select status from governance.webhook_deliveries where webhook_id = $1 order by id',
    [id],
  );
  return rows.map(({ status }) => status);
}

async function keysInUse(): Promise<Record<string, number>> {
  const rows = await replicas.database.asOwner<{ id: string; count: number }>(
    'select key_id as id, count(*)::int as count from governance.secrets group by key_id order by key_id',
  );
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]));
}

describe('an encryption key that is replaced while webhooks are sent', () => {
  it('causes no lost delivery, and every POST has the signature of its webhook', async () => {
    let replica = await replicas.start({ keys: K1 });
    const hooks = await Promise.all(Array.from({ length: WEBHOOKS }, (_, at) => register(replica, `/${at}`)));
    const secrets = hooks.map(({ secret }) => [secret]);
    const seen: Record<string, number>[] = [];
    let fired = 0;
    const end = new AbortController();
    const keepFiring = async (): Promise<void> => {
      for (; !end.signal.aborted; await sleep(FIRE_EVERY_MS)) {
        await fireEvents(replica, replica.orgId);
        fired++;
      }
    };
    /** Replaces the replica as a rolling restart does: the new replica works before the old one is stopped. */
    const restart = async (keys: string): Promise<void> => {
      const before = replica;
      replica = await replicas.start({ keys });
      await sleep(STEP_MS / 2);
      await replicas.stop(before);
      await sleep(STEP_MS / 2);
      seen.push(await keysInUse());
    };
    /** Rotates the secrets of some webhooks during the rotation of keys. */
    const rotateSome = async (from: number): Promise<void> => {
      for (let at = from; at < WEBHOOKS; at += 5) secrets[at]!.push(await rotate(replica, hooks[at]!, at % 2));
    };

    const firing = keepFiring();
    await sleep(STEP_MS);
    await restart(`${K1},${K2}`);
    await restart(`${K2},${K1}`);
    await rotateSome(0);
    const rewrapSecrets = () => replica.app.get(GovernanceOperations).rewrapSecrets();
    const [rewrap] = await Promise.all([rewrapSecrets(), rotateSome(1)]);
    // The first run skips secrets that are being rotated. The next run finds them.
    expect(await rewrapSecrets()).toMatchObject({ remaining: 0, unreadable: [] });
    seen.push(await keysInUse());
    await restart(K2);
    await rotateSome(2);
    await sleep(STEP_MS);
    end.abort();
    await firing;
    await until('all is sent', 20_000, async () => {
      const [left] = await replicas.database.asOwner('select from governance.tasks limit 1');
      return left === undefined;
    });

    report('keys under load', { deliveries: fired * WEBHOOKS, rewrapped: rewrap.rewrapped, keysInUse: seen });
    expect(rewrap.unreadable).toEqual([]);
    expect(rewrap.rewrapped).toBeGreaterThan(WEBHOOKS / 2);
    expect(seen.slice(0, 2)).toEqual([{ k1: WEBHOOKS }, { k1: WEBHOOKS }]);
    expect(seen.slice(2).map(keys => Object.keys(keys))).toEqual([['k2'], ['k2']]);
    for (const [at, hook] of hooks.entries()) {
      expect(await statuses(hook)).toEqual(Array.from({ length: fired }, () => 'delivered'));
      const posts = to(hook);
      expect(posts).toHaveLength(fired);
      const signers = posts.map(post => signersOf(post, secrets[at]!));
      // Requests were signed with the first secret and later with the last one. An unknown signature would have place
      // -1.
      const places = signers.map(({ current }) => secrets[at]!.indexOf(current!));
      expect(Math.min(...places)).toBe(0);
      expect(Math.max(...places)).toBe(secrets[at]!.length - 1);
    }
    const attempts = await replicas.database.asOwner(
      'select count(*)::int as count, max(number) as most, bool_and(http_status = 200) as fine from governance.webhook_attempts',
    );
    expect(attempts).toEqual([{ count: fired * WEBHOOKS, most: 1, fine: true }]);
  });

  it('is required at startup if secrets are encrypted with it', async () => {
    const replica = await replicas.start({ keys: K1 });
    await register(replica, '/');
    await expect(replicas.start({ keys: `${K3},${K2}` })).rejects.toThrow(
      // The message may name the secrets or the audit log, because both are sealed with the missing key.
      /^keys: .+ sealed under "k1", which .+; at hand: "k3", "k2"\./,
    );
    await expect(replicas.start({ keys: `${K3},${K1}` })).resolves.toBeDefined();
  });
});

describe('a sealed secret that is moved to the row of another webhook', () => {
  it('signs nothing: only its own deliveries fail, until it gets a new secret', async () => {
    const time = await replicas.start({ keys: K1 }).then(async replica => {
      await replicas.stop(replica);
      return moveTime(replicas.database);
    });
    const setup = await replicas.start({ keys: K1, outbox: { workers: false } });
    const [moved, source, neighbour] = [await register(setup, '/moved'), await register(setup, '/source'), await register(setup, '/neighbour')]; // prettier-ignore
    const secrets = [moved, source, neighbour].map(({ secret }) => secret);
    await replicas.database.asOwner(
      `update governance.secrets t set key_id = s.key_id, ciphertext = s.ciphertext from governance.secrets s
       where t.owner_id = $1 and s.owner_id = $2 and t.name = s.name`,
      [moved.id, source.id],
    );
    const replica = await replicas.start({ keys: K1 });
    await fireEvents(replica, replica.orgId, 'policy_violation', 3);
    const faults = async (): Promise<number> => {
      const rows = await replicas.database.asOwner<{ faults: number }>(
        'select faults from governance.tasks where key = $1',
        [moved.id],
      );
      return Math.min(...rows.map(row => row.faults));
    };
    for (let fault = 1; fault <= FAULTS; fault++) {
      await until(`there are ${fault} faults`, 5_000, async () => (await faults()) === fault);
      await time.advance(AFTER_A_FAULT_MS);
      replica.app.get(OutboxWorker).wake();
    }

    // The app sends no POST at all, and therefore none with the secret of another webhook.
    expect(to(moved)).toEqual([]);
    expect(await statuses(moved)).toEqual(['failed', 'failed', 'failed']);
    const fault = await replicas.database.asOwner<{ fault: string }>(
      'select distinct fault from governance.tasks where key = $1 and quarantined_at is not null',
      [moved.id],
    );
    expect(fault).toEqual([{ fault: expect.stringContaining('it was altered, or moved here from another place') }]);
    for (const hook of [source, neighbour]) {
      expect(await statuses(hook)).toEqual(['delivered', 'delivered', 'delivered']);
      // Ignores repetitions: on a busy machine, the lease of a delivery may expire during its attempt, and the delivery
      // is sent again.
      expect(new Set(to(hook).map(post => post.headers['webhook-id'])).size).toBe(3);
      expect(new Set(to(hook).map(post => signersOf(post, secrets).current))).toEqual(new Set([hook.secret]));
    }

    const rotated = await rotate(replica, moved, 24);
    await fireEvents(replica, replica.orgId);
    await until('the next one is delivered', 10_000, async () => (await statuses(moved)).includes('delivered'));
    expect(to(moved).map(post => signersOf(post, [...secrets, rotated]))).toEqual([{ current: rotated }]);
    const { body } = await replica.call('GET', `/v1/webhooks/${moved.id}/deliveries?status=failed`);
    const retry = await replica.call('POST', `/v1/webhooks/${moved.id}/deliveries/${body.items[0].id}/retry`);
    expect(retry.status).toBeLessThan(300);
    await until('the failed one is delivered', 10_000, async () => to(moved).length === 2);
    expect(to(moved).map(post => signersOf(post, [rotated]).current)).toEqual([rotated, rotated]);
  });
});
