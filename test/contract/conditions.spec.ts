import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createPolicy, createUser, decide, expectError } from './contract.support.js';

let app: TestApp;
let call: Call;
/** Ids of people in Research, in Sales and in no department. */
let research: string;
let sales: string;
let nowhere: string;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

/** Each test has its own organization, so that only its policies apply. */
async function newOrganization(): Promise<void> {
  ({ call } = await app.addOrganization());
  research = (await createUser(call, 'Ada', { department: 'Research', role: 'admin' })).id;
  sales = (await createUser(call, 'Bob', { department: 'Sales', role: 'member' })).id;
  nowhere = (await createUser(call, 'Cyd', { department: null, role: 'member' })).id;
}

const actions = async () => {
  const answers = [await decide(call, research), await decide(call, sales), await decide(call, nowhere)];
  return answers.map(answer => answer.action);
};

describe('the conditions of a policy', () => {
  it('spec 2.2: conditions map an attribute to an operator to an operand', async () => {
    await newOrganization();
    const conditions = { department: { not_in: ['Research', 'Legal'] }, role: { not_in: ['admin'] } };
    const policy = await createPolicy(call, { conditions });
    expect(policy.conditions).toEqual(conditions);
    expect((await call('GET', `/v1/policies/${policy.id}`)).body.conditions).toEqual(conditions);
    for (const [wrong, path] of [
      [{ department: ['Research'] }, 'conditions.department'],
      [{ department: 'Research' }, 'conditions.department'],
      [{ department: {} }, 'conditions.department'],
      [{ department: { unheard_of: ['Research'] } }, 'conditions.department.unheard_of'],
      [{ unheard_of: { not_in: ['Research'] } }, 'conditions.unheard_of'],
      [['department'], 'conditions'],
    ] as const) {
      const body = { name: 'x', action: 'block', conditions: wrong };
      expectError(await call('POST', '/v1/policies', body), 400, 'bad_request', path);
    }
  });

  it('spec 2.2: the attribute is one of the user who asks, such as department', async () => {
    await newOrganization();
    await createPolicy(call, { conditions: { department: { not_in: ['Sales', 'Research'] } } });
    expect(await actions()).toEqual(['allow', 'allow', 'block']);
    await call('PUT', `/v1/users/${sales}`, { department: 'Legal' });
    expect(await actions()).toEqual(['allow', 'block', 'block']);
  });

  it('spec 2.2: not_in takes a list of texts and matches when the value is not in it', async () => {
    await newOrganization();
    await createPolicy(call, { conditions: { department: { not_in: ['Legal', 'Research'] } } });
    expect(await actions()).toEqual(['allow', 'block', 'block']);
    for (const [operand, path] of [
      ['Research', 'conditions.department.not_in'],
      [null, 'conditions.department.not_in'],
      [{ 0: 'Research' }, 'conditions.department.not_in'],
      [['Research', 5], 'conditions.department.not_in[1]'],
      [[null], 'conditions.department.not_in[0]'],
    ] as const) {
      const body = { name: 'x', action: 'block', conditions: { department: { not_in: operand } } };
      expectError(await call('POST', '/v1/policies', body), 400, 'bad_request', path);
    }
  });

  it('spec 2.2: on update, conditions replace the whole object', async () => {
    await newOrganization();
    const conditions = { department: { not_in: ['Research'] }, role: { not_in: ['member'] } };
    const { id } = await createPolicy(call, { conditions });
    expect(await actions()).toEqual(['allow', 'allow', 'allow']);
    const replacement = { department: { not_in: ['Sales'] } };
    const { body } = await call('PUT', `/v1/policies/${id}`, { conditions: replacement });
    expect(body.conditions).toEqual(replacement);
    expect(await actions()).toEqual(['block', 'allow', 'block']);
    expect((await call('PUT', `/v1/policies/${id}`, { conditions: {} })).body.conditions).toEqual({});
    expect(await actions()).toEqual(['block', 'block', 'block']);
  });
});
