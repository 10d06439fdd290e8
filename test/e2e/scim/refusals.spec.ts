import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import {
  ENTERPRISE,
  ERROR,
  GROUP,
  identityProvider,
  newGroup,
  newUser,
  patch,
  PATCH,
  scimCall,
  SEARCH,
  USER,
} from './scim.support.js';

let app: TestApp;
let scim: Call;
let user: Answer['body'];
let group: Answer['body'];

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  user = await newUser(scim, 'ada@example.com');
  group = await newGroup(scim, 'Engineering', [user.id]);
});

afterAll(() => app?.close());

const NO_ID = 'not-a-uuid';

function expectScimError({ status, headers, body }: Answer, expected: number, scimType?: string): void {
  expect(headers.get('content-type')).toMatch(/^application\/scim\+json/);
  expect({ status, body }).toEqual({
    status: expected,
    body: {
      schemas: [ERROR],
      status: String(expected),
      ...(scimType === undefined ? {} : { scimType }),
      detail: expect.stringMatching(/\w/),
    },
  });
}

describe('a filter', () => {
  it.each([
    ...['', ' ', 'userName', 'userName eq', 'eq "a"', 'userName eq "a', 'userName eq a', `userName eq 'a'`],
    ...['userName is "a"', 'userName eq "a" and', 'userName eq "a" or or title pr', 'userName eq "a" title pr'],
    ...[
      '(userName eq "a"',
      'userName eq "a")',
      'not userName pr',
      'not (userName pr',
      'emails[',
      'emails[type eq "work"',
    ],
    ...['emails[userName eq "a"]', 'name[givenName eq "a"]', 'emails[type eq "work"].nothing eq "a"', 'emails[]'],
    ...['nothing eq "a"', 'name.nothing eq "a"', 'name eq "a"', 'name.givenName.first eq "a"', 'urn:x:y eq "a"'],
    ...['active gt true', 'active co "t"', 'active eq "perhaps"', 'active eq 1', 'userName eq 1', 'userName eq true'],
    ...[
      'meta.created gt "yesterday"',
      'meta.created co "2026"',
      'title gt null',
      'meta.location eq "a"',
      'groups.$ref co "a"',
    ],
    ...[
      'userName eq "\\x"',
      'userName eq "a\u0000"',
      'title eq "\\u0000"',
      '"a" eq userName',
      '1 eq 1',
      'true',
      ';',
      'userName eq "a"; drop',
    ],
    `${'('.repeat(21)}title pr${')'.repeat(21)}`,
    Array.from({ length: 101 }, () => 'title pr').join(' or '),
    `title eq "${'x'.repeat(8_192)}"`,
  ])('is refused as invalidFilter: %j', async filter => {
    const search = { schemas: [SEARCH], filter };
    expectScimError(await scim('POST', '/Users/.search', search), 400, 'invalidFilter');
  });

  it('is refused the same way in a URL', async () => {
    expectScimError(await scim('GET', '/Users?filter=userName%20eq'), 400, 'invalidFilter');
    expectScimError(await scim('GET', '/Users?filter=title%20pr&filter=active%20eq%20true'), 400, 'invalidFilter');
    expectScimError(await scim('GET', '/Groups?filter=userName%20eq%20%22a%22'), 400, 'invalidFilter');
  });

  it('names the error and its position', async () => {
    const { body } = await scim('GET', '/Users?filter=userName%20eq%20ada');
    expect(body.detail).toBe('The filter lacks a value at character 13: texts stand in double quotes; found "ada".');
  });
});

describe('a name that every object inherits', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('is not a value of active: %s', async word => {
    const filter = encodeURIComponent(`active eq "${word}"`);
    expectScimError(await scim('GET', `/Users?filter=${filter}`), 400, 'invalidFilter');
    const wanted = { schemas: [USER], userName: `${word}@example.com`, active: word };
    expectScimError(await scim('POST', '/Users', wanted), 400, 'invalidValue');
    expectScimError(await scim('PUT', `/Users/${user.id}`, wanted), 400, 'invalidValue');
    for (const step of [
      { op: 'replace', path: 'active', value: word },
      { op: 'replace', value: { active: word } },
    ]) {
      expectScimError(await scim('PATCH', `/Users/${user.id}`, patch(step)), 400, 'invalidValue');
    }
  });
});

describe('a PATCH', () => {
  it.each([
    ['nothing', {}, 'invalidSyntax'],
    ['a list', [], 'invalidSyntax'],
    ['another schema', { schemas: [USER], Operations: [{ op: 'remove', path: 'title' }] }, 'invalidSyntax'],
    ['no list of operations', { schemas: [PATCH] }, 'invalidSyntax'],
    ['an empty list of operations', patch(), 'invalidSyntax'],
    ['an operation that is not an object', patch('remove'), 'invalidSyntax'],
    ['an unknown operation', patch({ op: 'move', path: 'title', value: 'x' }), 'invalidSyntax'],
    ['an operation without a name', patch({ path: 'title', value: 'x' }), 'invalidSyntax'],
    ['a number as its path', patch({ op: 'add', path: 5, value: 'x' }), 'invalidPath'],
    ['an unknown path', patch({ op: 'add', path: 'nothing', value: 'x' }), 'invalidPath'],
    ['an unknown part of an attribute', patch({ op: 'add', path: 'name.nothing', value: 'x' }), 'invalidPath'],
    ['an unknown key without a path', patch({ op: 'add', value: { nothing: 'x' } }), 'invalidPath'],
    ['an unknown extension', patch({ op: 'add', path: 'urn:x:y:z', value: 'x' }), 'invalidPath'],
    ['an incomplete path', patch({ op: 'add', path: 'title and more', value: 'x' }), 'invalidPath'],
    ['an invalid value filter', patch({ op: 'add', path: 'emails[type eq', value: 'x' }), 'invalidPath'],
    [
      'a value filter on an attribute that is not a list',
      patch({ op: 'add', path: 'name[givenName eq "a"]', value: 'x' }),
      'invalidPath',
    ],
    ['__proto__ as its path', patch({ op: 'add', path: '__proto__.polluted', value: 'x' }), 'invalidPath'],
    ['a remove without a path', patch({ op: 'remove' }), 'noTarget'],
    ['an add without a value', patch({ op: 'add', path: 'title' }), 'invalidValue'],
    ['a text as value without a path', patch({ op: 'replace', value: 'x' }), 'invalidSyntax'],
    [
      'a value filter that determines no values',
      patch({ op: 'replace', path: 'emails[value co "nobody"].type', value: 'x' }),
      'noTarget',
    ],
    ['a read-only attribute', patch({ op: 'replace', path: 'id', value: 'x' }), 'mutability'],
    ['groups, which are changed at the group', patch({ op: 'add', path: 'groups', value: [] }), 'mutability'],
    ['meta', patch({ op: 'replace', path: 'meta.version', value: 'x' }), 'mutability'],
    ['an invalid boolean', patch({ op: 'replace', path: 'active', value: 'perhaps' }), 'invalidValue'],
    ['a number as a title', patch({ op: 'replace', path: 'title', value: 7 }), 'invalidValue'],
    ['a text as a name', patch({ op: 'replace', path: 'name', value: 'Ada' }), 'invalidValue'],
    ['a missing user name', patch({ op: 'remove', path: 'userName' }), 'mutability'],
    [
      'a missing address',
      patch({ op: 'replace', path: 'emails', value: [{ value: 'not an address' }] }),
      'invalidValue',
    ],
    [
      'two primary addresses',
      patch({
        op: 'replace',
        path: 'emails',
        value: [
          { value: 'a@x.com', primary: true },
          { value: 'b@x.com', primary: true },
        ],
      }),
      'invalidValue',
    ],
    ['a very long title', patch({ op: 'replace', path: 'title', value: 'x'.repeat(1_025) }), 'invalidValue'],
    [
      'a very long department',
      patch({ op: 'add', path: `${ENTERPRISE}:department`, value: 'x'.repeat(256) }),
      'invalidValue',
    ],
    ['a long externalId', patch({ op: 'replace', path: 'externalId', value: '\u{1F600}'.repeat(128) }), 'invalidValue'],
    ['half of a surrogate pair', patch({ op: 'replace', path: 'title', value: '\ud800' }), 'invalidValue'],
    [
      'too many operations',
      patch(...Array.from({ length: 1_001 }, () => ({ op: 'remove', path: 'title' }))),
      'tooMany',
    ],
  ])('of a user is refused for %s', async (_words, body, scimType) => {
    expectScimError(await scim('PATCH', `/Users/${user.id}`, body), 400, scimType);
    // The version is unchanged, so no part of the request was applied.
    expect((await scim('GET', `/Users/${user.id}`)).headers.get('etag')).toBe(await versionNow());
  });

  it.each([
    [
      'an unknown user as a member',
      { op: 'add', path: 'members', value: [{ value: '00000000-0000-4000-8000-000000000000' }] },
      'invalidValue',
    ],
    ['an invalid id as a member', { op: 'add', path: 'members', value: [{ value: 'ada' }] }, 'invalidValue'],
    [
      'a group as a member',
      { op: 'add', path: 'members', value: [{ value: '00000000-0000-4000-8000-000000000000', type: 'Group' }] },
      'invalidValue',
    ],
    ['members selected by name', { op: 'remove', path: 'members[display co "A"]' }, 'invalidFilter'],
    ['a changed member', { op: 'replace', path: 'members[value eq "x"]', value: {} }, 'invalidPath'],
    ['a part of a member', { op: 'replace', path: 'members.value', value: 'x' }, 'mutability'],
    ['a missing name', { op: 'remove', path: 'displayName' }, 'mutability'],
    ['a long name', { op: 'replace', path: 'displayName', value: 'x'.repeat(256) }, 'invalidValue'],
  ])('of a group is refused for %s', async (_words, operation, scimType) => {
    const body = patch({ op: 'replace', path: 'externalId', value: 'must not stay' }, operation);
    expectScimError(await scim('PATCH', `/Groups/${group.id}`, body), 400, scimType);
    expect((await scim('GET', `/Groups/${group.id}`)).body.externalId).toBeUndefined();
  });

  it('cannot change the prototype of objects', async () => {
    for (const key of ['__proto__.polluted', 'constructor.prototype.polluted', 'name.__proto__', 'toString']) {
      expectScimError(
        await scim('PATCH', `/Users/${user.id}`, patch({ op: 'add', value: { [key]: 'yes' } })),
        400,
        'invalidPath',
      );
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  const versionNow = async () => (await scim('GET', `/Users/${user.id}`)).body.meta.version;
});

describe('a body', () => {
  it.each([
    ['a body that is not JSON', '{"schemas":', 'invalidSyntax'],
    ['a repeated key', '{"userName":"a","userName":"b"}', 'invalidSyntax'],
    ['a list as body', '[]', 'invalidSyntax'],
    ['missing schemas', '{"userName":"a@example.com"}', 'invalidSyntax'],
    ['a missing userName', JSON.stringify({ schemas: [USER] }), 'invalidValue'],
    ['a blank userName', JSON.stringify({ schemas: [USER], userName: '  ' }), 'invalidValue'],
    ['a missing address', JSON.stringify({ schemas: [USER], userName: 'ada' }), 'invalidValue'],
    [
      'an extension that is a text',
      JSON.stringify({ schemas: [USER], userName: 'a@example.com', [ENTERPRISE]: 'x' }),
      'invalidSyntax',
    ],
    [
      'too many addresses',
      JSON.stringify({
        schemas: [USER],
        userName: 'a@example.com',
        emails: Array.from({ length: 51 }, (_, n) => ({ value: `${n}@example.com` })),
      }),
      'invalidValue',
    ],
  ])('of a new user is refused for %s', async (_words, body, scimType) => {
    expectScimError(await scim('POST', '/Users', body), 400, scimType);
  });

  it('is refused in another media type, and above one MiB', async () => {
    expectScimError(await scim('POST', '/Users', 'userName=a', { 'content-type': 'text/plain' }), 415);
    expectScimError(
      await scim('POST', '/Users', JSON.stringify({ schemas: [USER], title: 'x'.repeat(1024 * 1024) })),
      413,
    );
  });

  it('may be plain JSON', async () => {
    const body = { schemas: [USER], userName: 'plain@example.com' };
    expect((await scim('POST', '/Users', body, { 'content-type': 'application/json' })).status).toBe(201);
  });

  it('of a group needs a unique name, ignoring case', async () => {
    expectScimError(await scim('POST', '/Groups', { schemas: [GROUP] }), 400, 'invalidValue');
    expectScimError(await scim('POST', '/Groups', { schemas: [GROUP], displayName: 'ENGINEERING' }), 409, 'uniqueness');
  });
});

describe('a caller', () => {
  it('needs a credential', async () => {
    for (const path of ['/Users', '/Groups/1', '/ServiceProviderConfig', '/nothing', '/Bulk']) {
      const answer = await scimCall(app.as(null))('GET', path);
      expectScimError(answer, 401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it.each(['auditor', 'agent', 'member'])('needs the scope, which the role %s lacks', async role => {
    const call = scimCall((await app.addToken(role)).call);
    for (const path of ['/Users', '/Schemas', '/nothing']) expectScimError(await call('GET', path), 403);
  });

  it('may be the administrator', async () => {
    expect((await scimCall(app.call)('GET', '/Users')).status).toBe(200);
  });

  it('may do nothing else with the role scim', async () => {
    const { call } = await app.addToken('scim');
    const requests: [string, string, object?][] = [
      ['GET', '/v1/users'],
      ['GET', `/v1/users/${user.id}`],
      ['POST', '/v1/users', { email: 'x@example.com', name: 'X' }],
      ['GET', '/v1/policies'],
      ['GET', '/v1/audit-log'],
      ['POST', '/v1/tokens', { name: 'more', role: 'admin' }],
      ['POST', '/v1/tokens', { name: 'again', role: 'scim' }],
      ['POST', '/v1/decisions', { user_id: user.id, provider: 'p', model: 'm' }],
    ];
    for (const [method, path, body] of requests) {
      expect({ path, status: (await call(method, path, body)).status }).toEqual({ path, status: 403 });
    }
  });

  it('is subject to the request limit', async () => {
    const limited = await startTestApp({ requestsPerMinute: 2 });
    try {
      const call = await identityProvider(limited);
      await call('GET', '/Users');
      await call('GET', '/Users');
      const third = await call('GET', '/Users');
      expectScimError(third, 429);
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });

  it('gets a SCIM error if something does not exist, or is not supported', async () => {
    for (const path of ['', '/', '/nothing', '/a/b/c/d/e/f', '/a'.repeat(16)]) {
      expectScimError(await scim('GET', path), 404);
    }
    expectScimError(await scim('GET', `/Users/${NO_ID}`), 404);
    expectScimError(await scim('PATCH', `/Users/${NO_ID}`, patch({ op: 'remove', path: 'title' })), 404);
    expectScimError(await scim('DELETE', '/Groups/not-a-uuid'), 404);
    expectScimError(await scim('GET', '/Schemas/urn:nothing'), 404);
    expectScimError(await scim('PUT', '/Users', {}), 404);
    expectScimError(await scim('POST', '/Bulk', {}), 501);
    expectScimError(await scim('GET', '/Me'), 501);
    expectScimError(await scim('GET', '/Schemas?filter=id%20pr'), 403);
    expectScimError(await scim('GET', '/Users?count=many'), 400, 'invalidValue');
  });
});
