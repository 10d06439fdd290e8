import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AlsoNeeds, GovernanceController, Requires, ResourceId, type Role } from '#access';
import { ConflictError, NotFoundError } from '#core';
import { readAccessConditions, readAccessRules, type AccessRule } from '../docs/access-reference.js';
import { readPage } from '../docs/markdown.js';
import { newUser } from '../e2e/devices/devices.support.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../support/webhooks.js';
import { createResources, type ResourceIds } from './route-matrix/resource-ids.js';
import { foreignLists, foreignReferences, type Intruder } from './route-matrix/foreign-references.js';
import { makeCredentials, type RoleCredentials } from './route-matrix/credentials.js';
import {
  foreignIds,
  HIDDEN_RULES,
  ownIds,
  refusedCredentials,
  roles,
  undocumented,
} from './route-matrix/route-matrix.js';
import { conditional, exact, narrowed } from './route-matrix/scopes.js';

describe('every route of docs/reference/access.md', () => {
  const rules: AccessRule[] = readAccessRules(readPage('docs/reference/access.md'));
  let app: TestApp;
  let intruder: Intruder;
  let credentials: Map<Role, RoleCredentials>;
  let resourceIds: ResourceIds;

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    const foreign = await app.addOrganization('Intruders');
    credentials = await makeCredentials(app, foreign);
    resourceIds = await createResources(app);
    intruder = { call: foreign.call, own: await createResources({ ...app, orgId: foreign.orgId, call: foreign.call }) };
  });

  afterAll(() => app?.close());

  it('is served and in the OpenAPI document, and the page lists every served route', () => {
    expect(rules.length).toBeGreaterThan(100);
    expect(undocumented(app, rules)).toEqual([]);
  });

  it('answers 401 if the credential is missing, unknown, revoked, expired or of a suspended person', async () => {
    expect(await refusedCredentials(app, [...rules, ...HIDDEN_RULES], credentials)).toEqual([]);
  });

  it('accepts the roles of the page and answers 403 to the others', async () => {
    expect(await roles(app, [...rules, ...HIDDEN_RULES], credentials, resourceIds)).toEqual([]);
  });

  it('accepts a token with exactly the scopes of the page', async () => {
    const { orgId, call } = await app.addOrganization('Exact');
    expect(await exact(app, { orgId, userId: await newUser(call) }, rules)).toEqual([]);
  });

  it('answers 403 if an admin’s token lacks one scope that the route needs', async () => {
    expect(await narrowed(app, rules, resourceIds)).toEqual([]);
  });

  it('needs the scopes that the page lists for some requests, all of them', async () => {
    const conditions = readAccessConditions(readPage('docs/reference/access.md'));
    expect(conditions.length).toBeGreaterThan(3);
    expect(await conditional(app, rules, conditions, resourceIds)).toEqual([]);
  });

  it('answers ids of another organization with 404, exactly as unknown ids', async () => {
    expect(await ownIds(app.call, rules, resourceIds)).toEqual([]);
    expect(await foreignIds(app, rules, credentials, resourceIds)).toEqual([]);
    // The own organization still sees everything, so the attempts have deleted and hidden nothing.
    expect(await ownIds(app.call, rules, resourceIds)).toEqual([]);
  });

  // Reads the lists before the references are tried, because later the intruder's own data contains these references.
  it('shows nothing of another organization in any list', async () => {
    expect(await foreignLists(app, intruder, resourceIds)).toEqual([]);
    // For the own organization, the same lists do show the resources.
    expect(await foreignLists(app, { ...intruder, call: app.call }, resourceIds)).not.toEqual([]);
  });

  it('answers references to another organization exactly as unknown references', async () => {
    const { surprises, tried } = await foreignReferences(app, intruder, resourceIds);
    expect(surprises).toEqual([]);
    expect(tried.length).toBeGreaterThan(25);
    expect(await ownIds(app.call, rules, resourceIds)).toEqual([]);
  });
});

describe('a route that a test adds', () => {
  let app: TestApp;
  let credentials: Map<Role, RoleCredentials>;
  let resourceIds: ResourceIds;

  beforeAll(async () => {
    app = await startTestApp({ ...LOOPBACK_ALLOWED, planted: [Planted, Unguarded, Hidden] });
    credentials = await makeCredentials(app, await app.addOrganization('Intruders'));
    resourceIds = { '/v1/planted/': (await createResources(app))['/v1/policies/'] ?? '' };
  });

  afterAll(() => app?.close());

  it('is reported if it has no scope, or is missing on the page or in the document', () => {
    const rules = readAccessRules(readPage('docs/reference/access.md'));
    expect(undocumented(app, rules).toSorted()).toEqual([
      'GET /v1/hidden: is served and not in the OpenAPI document',
      'GET /v1/planted/more: is not in docs/reference/access.md',
      'GET /v1/planted/scopeless: has no scope and is not declared as open',
      'GET /v1/planted/scopeless: is not in docs/reference/access.md',
      'GET /v1/planted/weak: is not in docs/reference/access.md',
      'GET /v1/planted/{id}: is not in docs/reference/access.md',
      'GET /v1/unguarded: has no scope and is not declared as open',
      'GET /v1/unguarded: is not in docs/reference/access.md',
    ]);
  });

  it('is reported if it answers without a credential', async () => {
    const rule: AccessRule = { route: 'GET /v1/unguarded', scopes: ['policies:read'], further: [], roles: ['admin'] };
    const surprises = await refusedCredentials(app, [rule], credentials);
    expect(surprises).toContain('GET /v1/unguarded, no credential: 200');
    expect(surprises).toContain('GET /v1/unguarded, revoked admin: 200');
  });

  it('is reported if it needs another scope than the page says', async () => {
    const rule: AccessRule = {
      route: 'GET /v1/planted/weak',
      scopes: ['policies:write'],
      further: [],
      roles: ['admin', 'agent'],
    };
    expect(await roles(app, [rule], credentials, resourceIds)).toEqual([
      'GET /v1/planted/weak, auditor: 200 instead of 403',
      expect.stringMatching(/^GET \/v1\/planted\/weak, agent: 403 /),
    ]);
    expect(await narrowed(app, [rule], resourceIds)).toEqual([
      'GET /v1/planted/weak, an admin without policies:write: 200 instead of 403',
    ]);
  });

  it('is reported if it needs more scopes than the page says', async () => {
    const rule: AccessRule = {
      route: 'GET /v1/planted/more',
      scopes: ['policies:read'],
      further: [],
      roles: ['admin'],
    };
    expect(await exact(app, { orgId: app.orgId, userId: await newUser(app.call) }, [rule])).toEqual([
      expect.stringContaining('GET /v1/planted/more, with policies:read'),
    ]);
    expect(await narrowed(app, [{ ...rule, further: ['usage:read', 'tokens:read'] }], resourceIds)).toEqual([
      'GET /v1/planted/more, an admin without tokens:read: 200 instead of 403',
    ]);
  });

  it('is reported if its answers reveal ids of another organization', async () => {
    const rule: AccessRule = {
      route: 'GET /v1/planted/{id}',
      scopes: ['policies:read'],
      further: [],
      roles: ['admin'],
    };
    expect(await foreignIds(app, [rule], credentials, resourceIds)).toEqual([
      expect.stringContaining('tells more than 404'),
      'GET /v1/planted/{id}, foreign admin: 409 instead of 404',
    ]);
  });
});

@GovernanceController('v1/planted', 'Planted')
class Planted {
  @Get('scopeless')
  scopeless(): object {
    return {};
  }

  @Get('weak')
  @Requires('policies:read')
  weak(): object {
    return {};
  }

  @Get('more')
  @Requires('policies:read')
  @AlsoNeeds('usage:read')
  more(): object {
    return {};
  }

  @Get(':id')
  @Requires('policies:read')
  telling(@ResourceId() id: string): never {
    if (id.startsWith('00000000')) throw new NotFoundError('There is no such resource.');
    throw new ConflictError('This belongs to somebody else.');
  }
}

@Controller('v1/unguarded')
class Unguarded {
  @Get()
  read(): object {
    return {};
  }
}

@ApiExcludeController()
@Controller('v1/hidden')
class Hidden {
  @Get()
  read(): object {
    return {};
  }
}
