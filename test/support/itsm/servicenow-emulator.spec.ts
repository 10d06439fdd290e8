import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressClient } from '#egress';
import { makeAuthority, trustInThisProcess, type Authority } from '../certificates.js';
import { startServiceNow, type ServiceNowEmulator } from './servicenow-emulator.js';

const ACCOUNT = { username: 'svc.governance', password: 'a password of this test' };

describe('the emulator of ServiceNow', () => {
  let authority: Authority;
  let distrust: () => void;
  let egress: EgressClient;
  let instance: ServiceNowEmulator;

  beforeAll(async () => {
    authority = await makeAuthority();
    distrust = trustInThisProcess(authority.caPem);
    egress = new EgressClient({ allow: ['127.0.0.0/8'] });
  });
  afterAll(async () => {
    await egress.close();
    distrust();
  });
  beforeEach(async () => {
    instance = await startServiceNow({ authority, ...ACCOUNT });
  });
  afterEach(() => instance.close());

  const create = async (fields: object): Promise<number | undefined> => {
    const { status } = await egress.send({
      purpose: 'tickets',
      url: `${instance.origin}/api/now/table/incident`,
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: Buffer.from(JSON.stringify(fields)),
    });
    return status;
  };

  it('creates an incident of whole characters', async () => {
    expect(await create({ short_description: '😀', description: '😀' })).toBe(201);
    expect(instance.incidents).toMatchObject([{ short_description: '😀' }]);
    expect(instance.complaints).toEqual([]);
  });

  it.each(['short_description', 'description', 'correlation_id', 'correlation_display'])(
    'refuses half a character in %s, and complains',
    async field => {
      expect(await create({ short_description: 'x', [field]: 'x\ud83d…' })).toBe(400);
      expect(instance.incidents).toEqual([]);
      expect(instance.complaints).toEqual([`body.${field} has half a character`]);
    },
  );
});
