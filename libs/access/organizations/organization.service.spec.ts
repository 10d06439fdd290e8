import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ConflictError } from '#core';
import { sqlOf } from '#database';
import { startTestApp, type Call, type TestApp } from '../../../test/support/test-app.js';
import { OrganizationService, type OrganizationState } from './organization.service.js';

describe('a hook for changes of an organization', () => {
  let app: TestApp;
  let orgId: string;
  let call: Call;
  const seen: { orgId: string; before: OrganizationState; after: OrganizationState; stored: string | undefined }[] = [];
  let failure: Error | undefined;

  async function work(em: EntityManager, id: string, before: OrganizationState, after: OrganizationState) {
    const [row] = await sqlOf(em).query<{ time_zone: string }>(
      'select time_zone from governance.organizations where id = $1',
      [id],
    );
    seen.push({ orgId: id, before, after, stored: row?.time_zone });
    if (failure) throw failure;
  }

  beforeAll(async () => {
    app = await startTestApp();
    ({ orgId, call } = await app.addOrganization('Travellers'));
    app.app.get(OrganizationService, { strict: false }).onUpdate(work);
  });

  afterAll(() => app?.close());

  const change = (body: object) => call('PATCH', '/v1/organization', body);

  it('gets the states before and after the change, which is already written', async () => {
    await change({ time_zone: 'Asia/Tokyo' });
    expect(seen.splice(0)).toEqual([
      {
        orgId,
        before: { name: 'Travellers', timeZone: 'UTC', signInTokenMaxDays: 90, fiscalYearFirstMonth: 1 },
        after: { name: 'Travellers', timeZone: 'Asia/Tokyo', signInTokenMaxDays: 90, fiscalYearFirstMonth: 1 },
        stored: 'Asia/Tokyo',
      },
    ]);
  });

  it('is not called if nothing changes', async () => {
    await change({ time_zone: 'Asia/Tokyo', name: 'Travellers' });
    expect(seen).toEqual([]);
  });

  it('undoes the change if it fails, without an audit entry', async () => {
    failure = new ConflictError('Not today.');
    expect((await change({ name: 'Nomads' })).status).toBe(409);
    failure = undefined;
    expect((await call('GET', '/v1/organization')).body.name).toBe('Travellers');
    const { body } = await call('GET', '/v1/audit-log?action=organization.updated');
    expect(body.total_count).toBe(1);
  });
});
