import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { GovernanceOperations, type Finding } from '#governance';
import { startTestApp, type Answer, type TestApp } from '../support/test-app.js';

let one: TestApp;
let two: TestApp;

beforeAll(async () => {
  one = await startTestApp();
  two = await startTestApp({ testDatabase: one.database, orgId: one.orgId, time: one.clock });
});

afterAll(async () => {
  await two?.close();
  await one?.close();
});

const newSecret = (): string => `operator-${randomUUID()}`;
const boot = (orgId: string, adminToken: string, replica = one): Promise<unknown> =>
  replica.app.get(GovernanceOperations).ensureFirstOrganization({ id: orgId, adminToken });
const statusOf = async (token: string): Promise<number> => (await one.as(token)('GET', '/v1/organization')).status;

async function make(secret: string, body: object): Promise<string> {
  const answer = await one.as(secret)('POST', '/v1/tokens', { name: 'made', ...body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.token;
}

async function revocations(secret: string): Promise<Answer['body'][]> {
  return (await one.as(secret)('GET', '/v1/audit-log?action=token.revoked')).body.items;
}

describe("the operator's token", () => {
  it('replaces the previous one when a replica boots with another value', async () => {
    const orgId = randomUUID();
    const [before, after] = [newSecret(), newSecret()];
    await boot(orgId, before);
    expect(await statusOf(before)).toBe(200);
    await boot(orgId, after);
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    expect(await revocations(after)).toMatchObject([
      { actor_kind: 'cli', actor_name: 'operator', before: { name: 'operator token', role: 'admin' } },
    ]);
  });

  it('revokes the tokens that it created when it is replaced, and keeps the others', async () => {
    const orgId = randomUUID();
    const [before, after] = [newSecret(), newSecret()];
    await boot(orgId, before);
    const admin = await make(before, { role: 'admin' });
    const made = [admin, await make(before, { role: 'agent' }), await make(admin, { role: 'auditor' })];
    const apart = await one.app.get(GovernanceOperations).createToken(orgId, 'auditor', 'from the command line');
    await boot(orgId, after);
    expect(await Promise.all(made.map(statusOf))).toEqual([401, 401, 401]);
    expect(await statusOf(apart)).toBe(200);
    expect(await revocations(after)).toMatchObject([{ after: { tokens_ended: 3 } }]);
  });

  it('is replaced once when several replicas boot with one new value', async () => {
    const orgId = randomUUID();
    const [before, after] = [newSecret(), newSecret()];
    await boot(orgId, before);
    await Promise.all([one, two, one, two].map(replica => boot(orgId, after, replica)));
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    expect(await revocations(after)).toHaveLength(1);
    const made = (await one.as(after)('GET', '/v1/audit-log?action=token.created')).body;
    expect(made.total_count).toBe(2);
  });

  it('stays unique when several replicas boot with different values', async () => {
    const orgId = randomUUID();
    await boot(orgId, newSecret());
    const wanted = [newSecret(), newSecret(), newSecret(), newSecret()];
    await Promise.all(wanted.map((secret, at) => boot(orgId, secret, at % 2 ? one : two)));
    const statuses = await Promise.all(wanted.map(statusOf));
    expect(statuses.filter(status => status === 200)).toHaveLength(1);
    expect(statuses.filter(status => status === 401)).toHaveLength(3);
  });

  it('is not restored when a replica boots with the old value, and the boot says what to do', async () => {
    const orgId = randomUUID();
    const [before, after] = [newSecret(), newSecret()];
    await boot(orgId, before);
    await boot(orgId, after);
    expect(await boot(orgId, before, two)).toEqual({
      orgId,
      adminTokenProblem: expect.stringMatching(/revoked.*set GOVERNANCE_ADMIN_TOKEN to a new value/i),
    });
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    expect(await boot(orgId, after)).toEqual({ orgId });
  });

  it('is not restored when it was revoked through the API', async () => {
    const orgId = randomUUID();
    const secret = newSecret();
    await boot(orgId, secret);
    const { items } = (await one.as(secret)('GET', '/v1/tokens')).body;
    await one.as(secret)('DELETE', `/v1/tokens/${items[0].id}`);
    expect(await boot(orgId, secret)).toMatchObject({ adminTokenProblem: expect.any(String) });
    expect(await statusOf(secret)).toBe(401);
  });

  it('does not affect tokens of another organization when it is replaced', async () => {
    const [mine, theirs] = [randomUUID(), randomUUID()];
    const secret = newSecret();
    await boot(theirs, secret);
    await boot(mine, newSecret());
    await boot(mine, newSecret());
    expect(await statusOf(secret)).toBe(200);
  });

  describe('of earlier settings', () => {
    const doctor = (settings: { id?: string; adminToken?: string }): Promise<Finding[]> =>
      one.app.get(GovernanceOperations).checkUp(settings);
    const operatorFindings = async (settings: { id?: string; adminToken?: string }): Promise<Finding[]> =>
      (await doctor(settings)).filter(({ check }) => check === 'operator tokens');

    it.each(['another organization is set', 'no token is set'])(
      'is reported at boot and by doctor when %s',
      async now => {
        const [orgId, former] = [randomUUID(), newSecret()];
        await boot(orgId, former);
        const { body } = await one.as(former)('GET', '/v1/tokens');
        const settings = now === 'no token is set' ? { id: orgId } : { id: randomUUID(), adminToken: newSecret() };
        const warnings: string[] = [];
        const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(line => void warnings.push(String(line)));
        await one.app.get(GovernanceOperations).ensureFirstOrganization(settings);
        warn.mockRestore();
        const named = new RegExp(`${body.items[0].id} of organization ${orgId}`);
        expect(warnings.filter(line => named.test(line))).toEqual([expect.stringContaining('DELETE /v1/tokens/{id}')]);
        const findings = await operatorFindings(settings);
        expect(findings).toMatchObject([{ ok: true, seen: expect.stringMatching(named), remedy: expect.any(String) }]);
        // Follows the remedy that the message states.
        const admin = await one.app.get(GovernanceOperations).createToken(orgId, 'admin', 'to revoke');
        expect((await one.as(admin)('DELETE', `/v1/tokens/${body.items[0].id}`)).status).toBe(204);
        expect(await statusOf(former)).toBe(401);
        expect(JSON.stringify(await operatorFindings(settings))).not.toMatch(named);
      },
    );

    it('is reported by doctor if the settings contain a revoked one, or one of another organization', async () => {
      const [orgId, before, after] = [randomUUID(), newSecret(), newSecret()];
      await boot(orgId, before);
      await boot(orgId, after);
      expect((await operatorFindings({ id: orgId, adminToken: before }))[0]).toMatchObject({
        ...{ ok: true, seen: expect.stringContaining('revoked') },
        remedy: expect.stringContaining('Set GOVERNANCE_ADMIN_TOKEN to a new value'),
      });
      expect((await operatorFindings({ id: randomUUID(), adminToken: after }))[0]).toMatchObject({
        ...{ ok: false, seen: expect.stringContaining(orgId) },
      });
    });
  });
});
