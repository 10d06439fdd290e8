import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { asObject } from '#itsm';
import { late } from '../../support/itsm/platform-faults.js';
import { platformAccess } from '../../support/itsm/platform-access.js';
import { answers, nth } from '../disturbances.js';
import { ask, type VendorAnswer, type VendorRequest } from '../vendor-client.js';
import { FAILED, throttled } from './conditions.js';
import { startInstance, type Instance } from './instance.js';

const INCIDENTS = '/api/now/table/incident';
const FIELDS = { short_description: 'x' };

const platforms = platformAccess();
let instance: Instance;
beforeEach(async () => {
  instance = await startInstance({ authority: platforms.authority, isStrict: false });
});
afterEach(() => instance.close());

function send(path: string, request: VendorRequest = {}): Promise<VendorAnswer> {
  const { username, password } = instance.account;
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const headers = { authorization: `Basic ${basic}`, ...request.headers };
  return ask(platforms.egress, `${instance.origin}${path}`, { ...request, headers });
}

const create = (json: object): Promise<VendorAnswer> => send(INCIDENTS, { json });

/** Creates an incident. Returns the record in the answer. */
async function created(json: object): Promise<JsonObject> {
  const answer = await create(json);
  expect(answer.status).toBe(201);
  return asObject(asObject(answer.json)?.['result']) ?? {};
}

describe('a create', () => {
  it('ignores unknown fields without an error, and the instance complains', async () => {
    const result = await created({ ...FIELDS, urgencyy: '1' });
    expect(result).toMatchObject({ short_description: 'x', urgency: '3' });
    expect(result).not.toHaveProperty('urgencyy');
    expect(instance.complaints).toEqual(['incident has no field urgencyy']);
  });

  it.each([
    ['short_description', 160],
    ['correlation_id', 100],
    ['correlation_display', 100],
  ])('truncates %s at %d characters without an error, and the instance complains', async (field, most) => {
    expect(await created({ ...FIELDS, [field]: 'x'.repeat(most) })).toHaveProperty(field, 'x'.repeat(most));
    expect(instance.complaints).toEqual([]);
    expect(await created({ ...FIELDS, [field]: 'x'.repeat(most + 1) })).toHaveProperty(field, 'x'.repeat(most));
    expect(instance.complaints).toEqual([`${field} was truncated to ${most} of ${most + 1} characters`]);
  });

  it('keeps a description that is longer than its column says', async () => {
    expect(await created({ ...FIELDS, description: 'x'.repeat(4_001) })).toHaveProperty(
      'description',
      'x'.repeat(4_001),
    );
  });

  it('accepts a line break in the short description, and the instance complains', async () => {
    await created({ short_description: 'a\nb' });
    expect(instance.complaints).toEqual(['short_description has a line break']);
  });

  it('computes the priority from urgency and impact', async () => {
    expect(await created({ ...FIELDS, urgency: '2', impact: '1' })).toMatchObject({ priority: '2' });
    expect(await created(FIELDS)).toMatchObject({ priority: '5' });
    const json = { urgency: '1', impact: '1' };
    const changed = await send(`${INCIDENTS}/${instance.incidents[1]?.['sys_id']}`, { method: 'PATCH', json });
    expect(changed).toMatchObject({ status: 200, json: { result: { priority: '1' } } });
  });

  it('assigns no group that does not exist', async () => {
    const id = instance.addGroup('Security');
    expect(await created({ ...FIELDS, assignment_group: id })).toMatchObject({ assignment_group: { value: id } });
    instance.groups.pop();
    expect(await created({ ...FIELDS, assignment_group: id })).toMatchObject({ assignment_group: '' });
  });

  it.each(['short_description', 'description', 'correlation_id'])(
    'with half a surrogate pair in %s is refused',
    async field => {
      expect(await create({ ...FIELDS, [field]: 'x\ud83d…' })).toMatchObject({ status: 400 });
      expect(instance.incidents).toEqual([]);
      expect(await create({ ...FIELDS, [field]: '😀' })).toMatchObject({ status: 201 });
    },
  );
});

describe('a change', () => {
  it('ignores and truncates fields like a create', async () => {
    await created(FIELDS);
    const json = { short_description: 'y'.repeat(161), colour: 'red' };
    const { status } = await send(`${INCIDENTS}/${instance.incidents[0]?.['sys_id']}`, { method: 'PATCH', json });
    expect([status, instance.incidents[0]?.['short_description']]).toEqual([200, 'y'.repeat(160)]);
    expect(instance.incidents[0]).not.toHaveProperty('colour');
    expect(instance.complaints).toHaveLength(2);
  });
});

describe('a request', () => {
  it('needs the account, a method and the media types', async () => {
    const json = FIELDS;
    const statuses = [
      await send(INCIDENTS, { json, headers: { authorization: 'Basic eDp5' } }),
      await send(INCIDENTS, { json, headers: { 'content-type': 'text/plain' } }),
      await send(INCIDENTS, { json, headers: { accept: 'text/html' } }),
      await send(`${INCIDENTS}/0`, { json, method: 'POST' }),
      await send(INCIDENTS, { json, method: 'PATCH' }),
      await send('/api/now/table/nothing'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 415, 406, 405, 405, 400]);
    expect(instance.incidents).toEqual([]);
  });

  it('with unknown parameters or without a limit is answered, and the instance complains', async () => {
    expect(await send(`${INCIDENTS}?sysparm_limit=1&sysparm_page=2`)).toMatchObject({ status: 200 });
    expect(await send(INCIDENTS)).toMatchObject({ status: 200 });
    expect(instance.complaints).toEqual([
      'GET ignores the parameter sysparm_page',
      'a query without sysparm_limit returns up to 10,000 records',
    ]);
  });

  it('that the instance complains about lets the close of a strict instance reject', async () => {
    await instance.close();
    instance = await startInstance({ authority: platforms.authority });
    await create({ ...FIELDS, colour: 'red' });
    await expect(instance.close()).rejects.toThrow('incident has no field colour');
    instance = await startInstance({ authority: platforms.authority });
  });
});

describe('a fault', () => {
  it.each([
    ['lost answer', undefined],
    ['late', 201],
  ] as const)('“%s” of the second create disturbs no other request', async (name, status) => {
    instance.meets('create', nth({ 2: name === 'late' ? late(50) : name }));
    const seen: (number | undefined)[] = [];
    for (let n = 0; n < 3; n += 1) {
      seen.push((await create(FIELDS)).status);
      await send(`${INCIDENTS}?sysparm_limit=1`);
    }
    expect([seen, instance.incidents.length]).toEqual([[201, status, 201], 3]);
    expect([instance.requestsOf('create').length, instance.requestsOf('search').length]).toEqual([3, 3]);
  });

  it('of the rate limit or of the instance comes at the chosen request, and nothing is created', async () => {
    instance.meets('create', nth({ 1: answers(throttled(7)), 3: answers(FAILED) }));
    expect(await create(FIELDS)).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
    expect(await create(FIELDS)).toMatchObject({ status: 201 });
    expect(await create(FIELDS)).toMatchObject({ status: 500 });
    expect(instance.incidents).toHaveLength(1);
  });
});
