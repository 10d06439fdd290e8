import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../test/support/migrated-database.js';
import type { TestDatabase } from '../../test/support/test-postgres.js';
import { cipherOf, openSecretReplicas } from './testing/secret-replica.js';

describe('the keys of stored secrets', () => {
  let tests: TestDatabase;
  let open: Awaited<ReturnType<typeof openSecretReplicas>>;

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    open = await openSecretReplicas(tests.url);
  });

  afterAll(async () => {
    await open?.close();
    await tests?.drop();
  });

  beforeEach(() => tests.asOwner('truncate governance.secrets, governance.organizations cascade'));

  async function put(keyId: string): Promise<void> {
    const orgId = randomUUID();
    const place = { orgId, owner: 'webhooks', ownerId: randomUUID(), name: 'signing_secret' };
    await tests.asOwner(`insert into governance.organizations values ($1, 'One', 'UTC', now())`, [orgId]);
    await open.database.transaction(orgId, em => open.replica(cipherOf(keyId)).vault.put(em, place, 'correct horse'));
  }

  const keysOf = (...ids: string[]) => open.replica(cipherOf(...ids)).keys;

  it('are complete if nothing is stored', async () => {
    await expect(keysOf('k1').assertKeysKnown()).resolves.toBeUndefined();
  });

  it('let the app start if each one is in the keyring, at any position', async () => {
    for (const id of ['k1', 'k1', 'k2', 'k3']) await put(id);
    await expect(keysOf('k9', 'k3', 'k2', 'k1').assertKeysKnown()).resolves.toBeUndefined();
  });

  it('stop the start if some are missing, with their names and the remedy', async () => {
    for (const id of ['k1', 'k1', 'k2', 'k3']) await put(id);
    const refusal = keysOf('k2').assertKeysKnown();
    await expect(refusal).rejects.toThrow('sealed under "k1", "k3", which cannot be read here; at hand: "k2"');
    await expect(refusal).rejects.toThrow(/Put the missing key back into GOVERNANCE_KEYS/);
    await expect(refusal).rejects.not.toThrow(/horse/);
  });

  it('are old if they do not encrypt new secrets', async () => {
    for (const id of ['k1', 'k2', 'k3']) await put(id);
    expect(await keysOf('k2', 'k1').old()).toEqual(['k1', 'k3']);
    expect(await keysOf('k2', 'k1').missing()).toEqual(['k3']);
  });

  it('are found in as many steps as there are keys, whatever the number of secrets', async () => {
    await tests.asOwner(
      `insert into governance.secrets select gen_random_uuid(), 'webhooks', gen_random_uuid(), 'x', 'k' || n % 3, ''
       from generate_series(1, 30000) n`,
    );
    await tests.asOwner('vacuum analyze governance.secrets');
    expect(await keysOf('k0').old()).toEqual(['k1', 'k2']);
    const [source] = await tests.asOwner<{ sql: string }>(
      `select prosrc as sql from pg_proc where oid = 'governance.secret_key_ids()'::regprocedure`,
    );
    const plan = await tests.asOwner<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${source?.sql ?? ''}`);
    const text = plan.map(row => row['QUERY PLAN']).join('\n');
    expect(text).not.toContain('Seq Scan');
    const [, hit] = /Buffers: shared hit=(\d+)/.exec(text) ?? [];
    expect(Number(hit)).toBeLessThan(60);
  });

  it('let the app start again after the secrets of a lost one were removed as the guide says', async () => {
    for (const id of ['k1', 'k1', 'k2']) await put(id);
    const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operate.md'), 'utf8');
    const [, remedy] = /```sql lost-key\n(SET ROLE governance_app;\nDO [^`]*?)```/.exec(guide) ?? [];
    await tests.asOwner(remedy ?? 'the guide has no remedy');
    await expect(keysOf('k2').assertKeysKnown()).resolves.toBeUndefined();
    expect(await tests.asOwner('select key_id from governance.secrets')).toEqual([{ key_id: 'k2' }]);
  });
});
