import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { UserService } from '#users';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { expectOk, newUser, patch, scimCall } from './scim.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

/** A separate organization with its API and its identity provider. */
async function organization(): Promise<{ orgId: string; call: Call; scim: Call }> {
  const { orgId, call } = await app.addOrganization();
  return { orgId, call, scim: scimCall(call) };
}

const totalOf = async (scim: Call): Promise<number> => {
  const { totalResults } = (await scim('GET', '/Users?count=0')).body;
  const { body } = await scim('GET', '/Users?count=200');
  expect(body).toMatchObject({ totalResults, itemsPerPage: totalResults });
  return totalResults;
};

describe('the total of all users', () => {
  it('is exact after users are added and removed in every way', async () => {
    const { call, scim } = await organization();
    expect(await totalOf(scim)).toBe(0);
    const { id } = await newUser(scim, 'ada@x.example');
    const { body: bob } = await call('POST', '/v1/users', { email: 'bob@x.example', name: 'Bob' });
    const csv = 'email,name\nbob@x.example,Robert\ncyd@x.example,Cyd\ndot@x.example,Dot\n';
    await call('POST', '/v1/users/import', csv, { 'content-type': 'text/csv' });
    expect(await totalOf(scim)).toBe(4);
    // No identity provider has provisioned Bob before.
    for (const gone of [id, bob.id]) await expectOk(scim('DELETE', `/Users/${gone}`));
    expect(await totalOf(scim)).toBe(2);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await scim('POST', '/Users', { userName: 'nobody' })).status).toBe(400);
    expect(await totalOf(scim)).toBe(2);
    await newUser(scim, 'ada@x.example');
    expect(await totalOf(scim)).toBe(3);
  });

  it('counts only its own organization', async () => {
    const [here, there] = [await organization(), await organization()];
    await newUser(here.scim, 'ada@x.example');
    expect(await totalOf(there.scim)).toBe(0);
  });
});

describe('pages by index', () => {
  it('are parts of one list in any order of requests, and reflect added and removed users', async () => {
    const { orgId, scim } = await organization();
    const people = Array.from({ length: 450 }, (_, n) => ({ email: `p${n}@x.example` }));
    await app.app.get(UserService).ensureMany(operatorActor(orgId), people);
    const page = async (startIndex: number, filter = ''): Promise<string[]> => {
      const { body } = await scim('GET', `/Users?count=30&attributes=id&startIndex=${startIndex}${filter}`);
      return body.Resources.map(({ id }: { id: string }) => id);
    };
    const readAll = async (starts: number[], filter = ''): Promise<string[]> => {
      const pages = new Map<number, string[]>();
      for (const start of starts) pages.set(start, await page(start, filter));
      return [...pages].toSorted(([a], [b]) => a - b).flatMap(([, ids]) => ids);
    };
    const starts = Array.from({ length: 15 }, (_, n) => 1 + n * 30);
    const forwards = await readAll(starts);
    expect(new Set(forwards).size).toBe(450);
    expect(forwards).toEqual(forwards.toSorted());
    expect(await readAll(starts.toReversed())).toEqual(forwards);
    expect(await readAll(starts.toReversed(), '&filter=active%20eq%20true')).toEqual(forwards);
    expect(await page(200)).toEqual(forwards.slice(199, 229));
    expect(await page(401)).toEqual(forwards.slice(400, 430));
    expect(await page(451)).toEqual([]);

    await expectOk(scim('PATCH', `/Users/${forwards[7]}`, patch({ op: 'replace', path: 'title', value: 'T' })));
    await expectOk(scim('DELETE', `/Users/${forwards[3]}`));
    const left = forwards.toSpliced(3, 1);
    expect(await readAll(starts.toReversed())).toEqual(left);
    const { id } = await newUser(scim, 'new@x.example');
    const all = await readAll(starts);
    expect(new Set(all)).toEqual(new Set([...left, id]));
    expect(all.filter(other => other !== id)).toEqual(left);
  });
});
