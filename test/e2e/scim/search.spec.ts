import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { GROUP, identityProvider, newGroup, newUser, SEARCH, USER } from './scim.support.js';

let app: TestApp;
let scim: Call;
let people: string[];
let groups: string[];

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  people = [];
  for (const name of ['Ann Smith', 'Bob Smith', 'Cem Jones']) {
    app.clock.advance(1);
    people.push((await newUser(scim, `${name.slice(0, 3)}@example.com`, { displayName: name })).id);
  }
  groups = [(await newGroup(scim, 'Smiths', people.slice(0, 2))).id];
  app.clock.advance(1);
  groups.push((await newGroup(scim, 'Others')).id);
});

afterAll(() => app?.close());

const search = (request: object): Promise<Answer> => scim('POST', '/.search', { schemas: [SEARCH], ...request });
const found = async (request: object): Promise<string[]> =>
  (await search(request)).body.Resources.map(({ id }: { id: string }) => id);

describe('a search over all resource types', () => {
  it('finds users and groups, users first, with pages', async () => {
    const all = [...people, ...groups];
    expect(await found({})).toEqual(all);
    for (let startIndex = 1; startIndex <= all.length + 1; startIndex++) {
      const { body } = await search({ startIndex, count: 2 });
      expect(body).toMatchObject({ totalResults: all.length, startIndex });
      expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual(all.slice(startIndex - 1, startIndex + 1));
    }
    expect((await search({ count: 0 })).body).toMatchObject({ totalResults: all.length, Resources: [] });
  });

  it('treats an attribute that one resource type lacks as absent there', async () => {
    expect(await found({ filter: 'userName pr' })).toEqual(people);
    expect(await found({ filter: 'members pr' })).toEqual(groups.slice(0, 1));
    expect(await found({ filter: 'not (userName pr)' })).toEqual(groups);
    expect(await found({ filter: 'displayName co "smith"' })).toEqual([...people.slice(0, 2), groups[0]]);
    expect(await found({ filter: 'meta.resourceType eq "Group"' })).toEqual(groups);
    expect(await found({ filter: `schemas eq "${USER}"` })).toEqual(people);
    expect(await found({ filter: `${GROUP}:displayName eq "others"` })).toEqual(groups.slice(1));
  });

  it('is refused for an attribute that no resource type has, and for an invalid body', async () => {
    for (const request of [{ filter: 'nothing pr' }, { filter: 'members[nothing pr]' }, { filter: '' }]) {
      const { status, body } = await search(request);
      expect([status, body.scimType]).toEqual([400, 'invalidFilter']);
    }
    expect((await scim('POST', '/.search', {})).body).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
  });
});
