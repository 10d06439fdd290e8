import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError, type SecretPlace } from '#core';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { cipherOf, openSecretReplicas, type SecretReplica } from './testing/secret-replica.js';

const TEXT = 'whsec_correct horse 🙂 battery staple';

describe('the vault', () => {
  let tests: TestDatabase;
  let open: Awaited<ReturnType<typeof openSecretReplicas>>;
  let replica: SecretReplica;
  let orgId: string;
  let place: SecretPlace;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    open = await openSecretReplicas(tests.url);
    replica = open.replica(cipherOf('k1'));
  });

  afterAll(async () => {
    await open?.close();
    await tests?.drop();
  });

  beforeEach(() => {
    orgId = randomUUID();
    place = { orgId, owner: 'webhooks', ownerId: randomUUID(), name: 'signing_secret' };
  });

  const run = <T>(work: (em: EntityManager) => Promise<T>, org = orgId): Promise<T> =>
    open.database.transaction(org, work);
  const put = (at: SecretPlace, text: string): Promise<void> => run(em => replica.vault.put(em, at, text), at.orgId);
  const get = (at: SecretPlace): Promise<string | undefined> => run(em => replica.vault.get(em, at), at.orgId);
  const tamper = (set: string, at: SecretPlace, ...values: unknown[]): Promise<unknown> =>
    tests.asOwner(`update governance.secrets set ${set} where owner_id = $1 and name = $2`, [
      at.ownerId,
      at.name,
      ...values,
    ]);

  it('returns the stored secret', async () => {
    await put(place, TEXT);
    expect(await get(place)).toBe(TEXT);
  });

  it('returns nothing if nothing was stored', async () => {
    expect(await get(place)).toBeUndefined();
  });

  it('replaces the previous secret', async () => {
    await put(place, 'one');
    await put(place, 'two');
    expect(await get(place)).toBe('two');
  });

  it('identifies a place by its ids, ignoring case, like a rewrap', async () => {
    const shouted = { ...place, orgId: orgId.toUpperCase(), ownerId: place.ownerId.toUpperCase() };
    await put(shouted, TEXT);
    expect([await get(place), await get(shouted)]).toEqual([TEXT, TEXT]);
    await tests.asOwner(`insert into governance.organizations values ($1, 'One', 'UTC', now())`, [orgId]);
    const { rewrapper } = open.replica(cipherOf('k2', 'k1'));
    expect((await rewrapper.rewrap()).unreadable.filter(({ org_id }) => org_id === orgId)).toEqual([]);
  });

  it.each([
    { orgId: '{018f0000-0000-7000-8000-000000000001}' },
    { ownerId: '018f000000007000800000000000000a' },
    { owner: '' },
    { name: '' },
  ])('refuses a place that PostgreSQL would spell differently: %j', async wrong => {
    await expect(run(em => replica.vault.put(em, { ...place, ...wrong }, TEXT))).rejects.toThrow(TypeError);
  });

  it('belongs to the transaction: a rolled-back secret does not exist', async () => {
    const cut = run(async em => {
      await replica.vault.put(em, place, TEXT);
      throw new Error('rolled back');
    });
    await expect(cut).rejects.toThrow('rolled back');
    expect(await get(place)).toBeUndefined();
  });

  it('reads and writes no secret of an organization other than the transaction’s', async () => {
    await put(place, TEXT);
    const other = randomUUID();
    expect(await run(em => replica.vault.get(em, place), other)).toBeUndefined();
    expect(await run(em => replica.vault.move(em, place, 'x'), other)).toBe(false);
    await run(em => replica.vault.delete(em, place), other);
    await run(em => replica.vault.deleteAll(em, orgId, place.owner, place.ownerId), other);
    await expect(run(em => replica.vault.put(em, place, 'theirs'), other)).rejects.toThrow(/row-level security/);
    expect(await get(place)).toBe(TEXT);
  });

  it('stores no readable text', async () => {
    await put(place, TEXT);
    const [row] = await tests.asOwner<{ text: string; ciphertext: Buffer }>(
      `select s::text as text, ciphertext from governance.secrets s where owner_id = $1`,
      [place.ownerId],
    );
    expect(row?.ciphertext.includes('horse')).toBe(false);
    expect(row?.text).not.toContain(Buffer.from('horse').toString('hex'));
    expect(row?.text).not.toContain('horse');
  });

  it('quotes no text in an error, not even in one of the database', async () => {
    await put(place, TEXT);
    await tamper('name = $3', place, 'moved');
    const errors = [
      await get({ ...place, name: 'moved' }).catch((error: unknown) => error),
      await run(em => replica.vault.put(em, { ...place, orgId: randomUUID() }, TEXT)).catch((error: unknown) => error),
      await run(em => replica.vault.put(em, { ...place, name: 'a\0b' }, TEXT)).catch((error: unknown) => error),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { showHidden: true, depth: 20 }) + JSON.stringify(error)).not.toContain('horse');
    }
    expect(inspect(replica.vault, { depth: 20, showHidden: true }) + JSON.stringify(replica.vault)).not.toContain(
      'horse',
    );
  });

  it('refuses a ciphertext that was moved to another row, name or organization', async () => {
    const [row, name, org] = [
      { ...place, ownerId: randomUUID() },
      { ...place, name: 'other' },
      { ...place, orgId: randomUUID(), ownerId: randomUUID() },
    ];
    await put(place, TEXT);
    for (const there of [row, name, org]) {
      await put(there, 'theirs');
      await tests.asOwner(
        `update governance.secrets t set ciphertext = s.ciphertext, key_id = s.key_id from governance.secrets s
         where s.owner_id = $1 and s.name = $2 and t.owner_id = $3 and t.name = $4`,
        [place.ownerId, place.name, there.ownerId, there.name],
      );
      await expect(get(there)).rejects.toThrow(SecretUnreadableError);
    }
    expect(await get(place)).toBe(TEXT);
  });

  it('returns several secrets in the requested order, and an unreadable secret does not affect the others', async () => {
    const [two, three] = [
      { ...place, name: 'two' },
      { ...place, name: 'three' },
    ];
    await put(place, 'one');
    await put(two, 'deux');
    await tamper('key_id = $3', two, 'k9');
    const got = await run(em => replica.vault.getMany(em, [three, two, place, three, place]));
    expect(got).toEqual([undefined, expect.any(SecretUnreadableError), 'one', undefined, 'one']);
    expect(await run(em => replica.vault.getMany(em, []))).toEqual([]);
  });

  it('moves a secret to another name, and replaces the one there', async () => {
    const previous = { ...place, name: 'previous_signing_secret' };
    await put(place, 'new');
    await put(previous, 'old');
    expect(await run(em => replica.vault.move(em, place, previous.name))).toBe(true);
    expect([await get(place), await get(previous)]).toEqual([undefined, 'new']);
  });

  it('moves nothing if there is nothing, and does not change a secret that is moved to its own name', async () => {
    const previous = { ...place, name: 'previous_signing_secret' };
    await put(previous, 'old');
    expect(await run(em => replica.vault.move(em, place, previous.name))).toBe(false);
    expect(await run(em => replica.vault.move(em, previous, previous.name))).toBe(true);
    expect(await get(previous)).toBe('old');
  });

  it('deletes one secret, or all of a row and no other', async () => {
    const [two, other] = [
      { ...place, name: 'two' },
      { ...place, ownerId: randomUUID() },
    ];
    const elsewhere = { ...place, owner: 'connectors' };
    for (const at of [place, two, other, elsewhere]) await put(at, 'here');
    await run(em => replica.vault.delete(em, two));
    expect([await get(place), await get(two)]).toEqual(['here', undefined]);
    await put(two, 'here');
    await run(em => replica.vault.deleteAll(em, orgId, 'webhooks', place.ownerId));
    expect(await run(em => replica.vault.getMany(em, [place, two, other, elsewhere]))).toEqual([
      undefined,
      undefined,
      'here',
      'here',
    ]);
  });
});
