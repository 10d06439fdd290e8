import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startServiceNow, type ServiceNowEmulator } from './servicenow-emulator.js';
import { platformAccess } from './platform-access.js';

const ACCOUNT = { username: 'svc.governance', password: 'a password of this test' };

describe('the emulator of ServiceNow', () => {
  const platforms = platformAccess();
  let instance: ServiceNowEmulator;

  beforeEach(async () => {
    instance = await startServiceNow({ authority: platforms.authority, ...ACCOUNT });
  });
  afterEach(() => instance.close());

  const create = async (fields: object): Promise<number | undefined> => {
    const { status } = await platforms.egress.send({
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

  it('creates an incident with complete characters', async () => {
    expect(await create({ short_description: '😀', description: '😀' })).toBe(201);
    expect(instance.incidents).toMatchObject([{ short_description: '😀' }]);
    expect(instance.complaints).toEqual([]);
  });

  it.each(['short_description', 'description', 'correlation_id', 'correlation_display'])(
    'refuses half a surrogate pair in %s, and reports it',
    async field => {
      expect(await create({ short_description: 'x', [field]: 'x\ud83d…' })).toBe(400);
      expect(instance.incidents).toEqual([]);
      expect(instance.complaints).toEqual([`body.${field} has half a character`]);
    },
  );
});
