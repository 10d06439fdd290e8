import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SealedSecret, SecretPlace } from '#core';
import { sqlOf } from '#database';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { EnvelopeCipher } from './envelope-cipher.js';
import { cipherOf, openSecretReplicas, ringOf, type SecretReplica } from './testing/secret-replica.js';

/** Runs a function before each secret is rewrapped. */
class InterruptedCipher extends EnvelopeCipher {
  constructor(private readonly before: (place: SecretPlace, nth: number) => Promise<void>) {
    super(ringOf('k2', 'k1'));
  }

  private calls = 0;

  override async rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined> {
    await this.before(place, ++this.calls);
    return super.rewrap(sealed, place);
  }
}

describe('a rewrap', () => {
  let tests: TestDatabase;
  let open: Awaited<ReturnType<typeof openSecretReplicas>>;
  let old: SecretReplica;
  let both: SecretReplica;
  let orgs: string[];

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    open = await openSecretReplicas(tests.url);
    [old, both] = [open.replica(cipherOf('k1')), open.replica(cipherOf('k2', 'k1'))];
  });

  afterAll(async () => {
    await open?.close();
    await tests?.drop();
  });

  /** Two organizations that have no secrets. */
  beforeEach(async () => {
    await tests.asOwner('truncate governance.secrets, governance.organizations cascade');
    orgs = [randomUUID(), randomUUID()];
    for (const id of orgs) {
      await tests.asOwner(`insert into governance.organizations values ($1, 'One', 'UTC', now())`, [id]);
    }
  });

  /** Adds secrets to the first organization, or to another one. The text of each secret is its name. */
  async function fill(replica: SecretReplica, count: number, orgId = orgs[0] ?? ''): Promise<SecretPlace[]> {
    const places = Array.from({ length: count }, (_, n) => ({
      orgId,
      owner: 'webhooks',
      ownerId: randomUUID(),
      name: `secret ${n}`,
    }));
    await open.database.transaction(orgId, async em => {
      for (const place of places) await replica.vault.put(em, place, place.name);
    });
    return places;
  }

  async function read(replica: SecretReplica, places: readonly SecretPlace[]): Promise<unknown[]> {
    return open.database.transaction(places[0]?.orgId ?? '', em => replica.vault.getMany(em, places));
  }

  async function countByKey(): Promise<Record<string, number>> {
    const rows = await tests.asOwner<{ key_id: string; count: number }>(
      'select key_id, count(*)::int as count from governance.secrets group by key_id',
    );
    return Object.fromEntries(rows.map(row => [row.key_id, row.count]));
  }

  it('encrypts the secrets of every organization with the writing key, beyond one batch', async () => {
    const places = [await fill(old, 250), await fill(old, 3, orgs[1])] as const;
    await fill(both, 5);
    expect(await both.rewrapper.rewrap()).toEqual({ rewrapped: 253, remaining: 0, unreadable: [] });
    expect(await countByKey()).toEqual({ k2: 258 });
    const fresh = open.replica(cipherOf('k2'));
    for (const list of places) expect(await read(fresh, list)).toEqual(list.map(({ name }) => name));
  });

  it('has nothing to do the second time', async () => {
    await fill(old, 3);
    await both.rewrapper.rewrap();
    expect(await both.rewrapper.rewrap()).toEqual({ rewrapped: 0, remaining: 0, unreadable: [] });
  });

  it('does not call the cipher, which may be a network service, for secrets under the writing key', async () => {
    await fill(both, 3);
    const [place] = await fill(old, 1);
    const asked: SecretPlace[] = [];
    const asking = open.replica(new InterruptedCipher(async at => void asked.push(at)));
    await asking.rewrapper.rewrap();
    expect(asked).toEqual([place]);
  });

  it('continues after an interruption', async () => {
    const places = await fill(old, 250);
    const cut = open.replica(
      new InterruptedCipher(async (_place, nth) => {
        if (nth > 150) throw new Error('killed');
      }),
    );
    await expect(cut.rewrapper.rewrap()).rejects.toThrow('killed');
    expect(await countByKey()).toEqual({ k1: 150, k2: 100 });
    expect(await read(both, places)).toEqual(places.map(({ name }) => name));
    expect(await both.rewrapper.rewrap()).toEqual({ rewrapped: 150, remaining: 0, unreadable: [] });
    expect(await countByKey()).toEqual({ k2: 250 });
  });

  it('rewraps each secret once if several run concurrently, and leaves none', async () => {
    const places = await fill(old, 350);
    const reports = await Promise.all(Array.from({ length: 4 }, () => both.rewrapper.rewrap()));
    expect(reports.map(({ remaining, unreadable }) => ({ remaining, unreadable }))).toEqual(
      Array.from({ length: 4 }, () => ({ remaining: 0, unreadable: [] })),
    );
    expect(reports.reduce((sum, { rewrapped }) => sum + rewrapped, 0)).toBe(350);
    expect(await read(open.replica(cipherOf('k2')), places)).toEqual(places.map(({ name }) => name));
  });

  it('overwrites no secret that was changed, moved or deleted since it was read', async () => {
    const places = await fill(old, 3);
    const [changed, moved, deleted] = places as [SecretPlace, SecretPlace, SecretPlace];
    const racing = open.replica(
      new InterruptedCipher(async (_place, nth) => {
        if (nth !== 3) return;
        // The secret is written with the old key again, so only its ciphertext differs.
        await open.database.transaction(changed.orgId, async em => {
          await old.vault.put(em, changed, 'changed');
          await old.vault.move(em, moved, 'moved');
          await old.vault.delete(em, deleted);
        });
      }),
    );
    const report = await racing.rewrapper.rewrap();
    // The second pass of the rewrapper finds the changed secret again.
    expect(report).toEqual({ rewrapped: 2, remaining: 0, unreadable: [] });
    const there = [changed, moved, { ...moved, name: 'moved' }, deleted];
    expect(await read(both, there)).toEqual(['changed', undefined, moved.name, undefined]);
  });

  it('waits for no lock: a secret that is being changed is skipped, counted, and found by the next run', async () => {
    const [busy, ...others] = await fill(old, 3);
    if (!busy) throw new Error('nothing was put');
    let report;
    await open.database.transaction(busy.orgId, async em => {
      await sqlOf(em).query('select 1 from governance.secrets where owner_id = $1 for update', [busy.ownerId]);
      report = await both.rewrapper.rewrap();
    });
    expect(report).toEqual({ rewrapped: others.length, remaining: 1, unreadable: [] });
    expect(await both.rewrapper.rewrap()).toEqual({ rewrapped: 1, remaining: 0, unreadable: [] });
  });

  it('reports unreadable secrets with their place, keeps them, and rewraps the others', async () => {
    const places = await fill(old, 205);
    const [altered, unknown] = places as [SecretPlace, SecretPlace];
    await tests.asOwner(
      `update governance.secrets set ciphertext = set_byte(ciphertext, 90, get_byte(ciphertext, 90) # 1) where owner_id = $1`,
      [altered.ownerId],
    );
    await tests.asOwner(`update governance.secrets set key_id = 'k0' where owner_id = $1`, [unknown.ownerId]);
    const before = await tests.asOwner(`select * from governance.secrets where owner_id = $1`, [altered.ownerId]);
    const report = await both.rewrapper.rewrap();
    expect(report).toMatchObject({ rewrapped: 203, remaining: 2 });
    const named = (place: SecretPlace, reason: string): object => ({
      org_id: place.orgId,
      owner: place.owner,
      owner_id: place.ownerId,
      name: place.name,
      reason: expect.stringContaining(reason),
    });
    expect(report.unreadable).toHaveLength(2);
    expect(report.unreadable).toEqual(expect.arrayContaining([named(altered, 'altered'), named(unknown, '"k0"')]));
    const after = await tests.asOwner(`select * from governance.secrets where owner_id = $1`, [altered.ownerId]);
    expect(after).toEqual(before);
  });

  it('stops at a failure that is not the secret’s own, instead of reporting the secret as unreadable', async () => {
    await fill(old, 1);
    const broken = open.replica(new InterruptedCipher(() => Promise.reject(new Error('key service away'))));
    await expect(broken.rewrapper.rewrap()).rejects.toThrow('key service away');
  });

  it('does not block reads and writes of secrets meanwhile', async () => {
    const places = await fill(old, 300);
    const readOne = async (place: SecretPlace): Promise<unknown> => (await read(both, [place]))[0];
    const busy = open.replica(
      new InterruptedCipher(async (place, nth) => {
        if (nth % 20 !== 0) return;
        expect(await readOne(place)).toBe(place.name);
        await open.database.transaction(place.orgId, em => both.vault.put(em, place, `${place.name}, changed`));
      }),
    );
    expect(await busy.rewrapper.rewrap()).toEqual({ rewrapped: 285, remaining: 0, unreadable: [] });
    const expected = places.map(({ name }) => expect.stringMatching(new RegExp(`^${name}(, changed)?$`)));
    expect(await read(open.replica(cipherOf('k2')), places)).toEqual(expected);
  });
});
