import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { bytesOf, enroll, newRequest, newToken, newUser } from './devices.support.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

let app: TestApp;
let user: string;
let nobody: Call;

beforeAll(async () => {
  app = await startTestApp();
  user = await newUser(app.call);
  nobody = app.as(null);
});

afterAll(() => app.close());

const expectRefused = (answer: Answer, status: number, field?: string) => {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: { message: expect.stringMatching(/\w/), ...(field ? { details: [{ field }] } : {}) },
  });
};

describe('permission to enroll a device', () => {
  it('is a token that is shown once and stored as a hash', async () => {
    const { status, body, headers } = await app.call('POST', '/v1/devices/enrollments', {
      user_id: user,
      name: 'Laptop 17',
    });
    expect(status).toBe(201);
    const day = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
    expect(body).toMatchObject({ id: UUID, org_id: app.orgId, user_id: user, name: 'Laptop 17', expires_at: day });
    expect(body.token).toMatch(/^enroll_[\w-]{43}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    const [row] = await app.database.asOwner<{ token_hash: Buffer; text: string }>(
      'select token_hash, e::text as text from governance.device_enrollments e where id = $1',
      [body.id],
    );
    expect(row?.token_hash).toEqual(createHash('sha256').update(body.token).digest());
    expect(row?.text).not.toContain(body.token.slice(10));
    const audit = await app.call('GET', '/v1/audit-log?resource_type=device_enrollment');
    expect(audit.body.items[0]).toMatchObject({ action: 'device_enrollment.created', resource_id: body.id });
    expect(audit.text).not.toContain(body.token.slice(10));
  });

  it('is given only for active users of the organization', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const ask = (user_id: string) => app.call('POST', '/v1/devices/enrollments', { user_id, name: 'Laptop' });
    expectRefused(await ask(unknown), 400, 'user_id');
    const other = await app.addOrganization();
    expectRefused(await ask(await newUser(other.call)), 400, 'user_id');
    const leaver = await newUser(app.call);
    await app.call('POST', `/v1/users/${leaver}/offboard`);
    const refused = await ask(leaver);
    expectRefused(refused, 409);
    expect(refused.body.message).toContain('suspended');
  });

  it.each([
    ['in the past', -1],
    ['more than 30 days ahead', 30 * DAY_MS + 1],
  ])('does not end %s', async (_when, offset) => {
    const expires_at = new Date(app.clock.now().getTime() + offset).toISOString();
    const answer = await app.call('POST', '/v1/devices/enrollments', { user_id: user, name: 'Laptop', expires_at });
    expectRefused(answer, 400, 'expires_at');
  });

  it('can be revoked until it is used, and not afterwards', async () => {
    const { id, token } = (await app.call('POST', '/v1/devices/enrollments', { user_id: user, name: 'x' })).body;
    for (let time = 0; time < 2; time++) {
      expect((await app.call('DELETE', `/v1/devices/enrollments/${id}`)).status).toBe(204);
    }
    const { csr } = await newRequest();
    expectRefused(await nobody('POST', '/v1/devices/enroll', { token, csr }), 401);
    const used = (await app.call('POST', '/v1/devices/enrollments', { user_id: user, name: 'x' })).body;
    expect((await nobody('POST', '/v1/devices/enroll', { token: used.token, csr })).status).toBe(201);
    expectRefused(await app.call('DELETE', `/v1/devices/enrollments/${used.id}`), 409);
    expectRefused(await app.call('DELETE', `/v1/devices/enrollments/${app.orgId}`), 404);
  });
});

describe('an enrolling device', () => {
  it('gets a certificate for its key from the authority of the organization', async () => {
    const { status, body } = await enroll(app, user);
    expect(status).toBe(201);
    const certificate = new X509Certificate(body.certificate);
    expect(body.device).toEqual({
      id: UUID,
      org_id: app.orgId,
      user_id: user,
      name: 'Laptop 17',
      status: 'active',
      certificate_serial: certificate.serialNumber.toLowerCase(),
      fingerprint_sha256: createHash('sha256').update(bytesOf(body.certificate)).digest('hex'),
      certificate_expires_at: new Date(app.clock.now().getTime() + 397 * DAY_MS).toISOString(),
      revoked_at: null,
      revocation_reason: null,
      crl_reason: null,
      created_at: app.clock.now().toISOString(),
      updated_at: app.clock.now().toISOString(),
    });
    const authority = new X509Certificate(body.ca_certificate);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subject).toBe(`CN=${body.device.id}`);
    expect((await app.call('GET', '/v1/devices/ca')).text).toBe(body.ca_certificate);
    expect((await app.call('GET', `/v1/devices/${body.device.id}`)).body).toEqual(body.device);
  });

  it('is the actor in the audit log, with its address', async () => {
    const { id } = (await enroll(app, user)).body.device;
    const { items } = (await app.call('GET', '/v1/audit-log?resource_type=device')).body;
    expect(items[0]).toMatchObject({
      action: 'device.enrolled',
      actor_kind: 'device',
      actor_id: id,
      actor_user_id: user,
      resource_id: id,
      address: '127.0.0.1',
    });
  });

  it('uses up its token', async () => {
    const token = await newToken(app.call, user);
    const body = { token, csr: (await newRequest()).csr };
    expect((await nobody('POST', '/v1/devices/enroll', body)).status).toBe(201);
    for (const again of [body, { token, csr: (await newRequest()).csr }, { token, csr: 'nonsense' }]) {
      const answer = await nobody('POST', '/v1/devices/enroll', again);
      expectRefused(answer, 401);
      expect(answer.body.message).toContain('already been used');
    }
  });

  it('keeps its token if its request is refused', async () => {
    const token = await newToken(app.call, user);
    expectRefused(await nobody('POST', '/v1/devices/enroll', { token, csr: 'nonsense' }), 400, 'csr');
    expect((await nobody('POST', '/v1/devices/enroll', { token, csr: (await newRequest()).csr })).status).toBe(201);
  });

  it('is refused without a known and valid token', async () => {
    const { csr } = await newRequest();
    const token = await newToken(app.call, user);
    for (const wrong of ['x', `${token}x`, token.toUpperCase(), `enroll_${'A'.repeat(43)}`, app.adminToken]) {
      expectRefused(await nobody('POST', '/v1/devices/enroll', { token: wrong, csr }), 401);
    }
    app.clock.advance(DAY_MS);
    const answer = await nobody('POST', '/v1/devices/enroll', { token, csr });
    expectRefused(answer, 401);
    expect(answer.body.message).toContain('expired');
    app.clock.advance(-DAY_MS);
  });

  it('is refused for the key of another device, as long as that device is valid', async () => {
    const { csr } = await newRequest();
    const { device } = (await enroll(app, user, { csr })).body;
    const token = await newToken(app.call, await newUser(app.call));
    const again = () => nobody('POST', '/v1/devices/enroll', { token, csr });
    const refused = await again();
    expectRefused(refused, 400, 'csr');
    expect(refused.body.details[0].message).toBe('has the key of another device; generate a new key on this device');
    await app.call('POST', `/v1/devices/${device.id}/revoke`);
    expect((await again()).status).toBe(201);
  });

  it('may use the key of a device whose certificate has expired', async () => {
    const { csr } = await newRequest();
    const { device } = (await enroll(app, user, { csr })).body;
    app.clock.advance(397 * DAY_MS);
    const { call } = await app.addToken('admin');
    expect((await call('GET', `/v1/devices/${device.id}`)).body.status).toBe('expired');
    expect((await enroll(app, user, { csr, call })).status).toBe(201);
    app.clock.advance(-397 * DAY_MS);
  });

  it('needs a new key: of several that send the same key at once, one is enrolled', async () => {
    const { csr } = await newRequest();
    const answers = await Promise.all(Array.from({ length: 4 }, () => enroll(app, user, { csr })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400]);
  });

  it('is refused if its user has left, because the token ended with the access', async () => {
    const leaver = await newUser(app.call);
    const token = await newToken(app.call, leaver);
    await app.call('POST', `/v1/users/${leaver}/offboard`);
    expectRefused(await nobody('POST', '/v1/devices/enroll', { token, csr: (await newRequest()).csr }), 401);
  });

  it('is refused on a replica without notice that its user was suspended', async () => {
    // The other replica gets no notification, and polls only after a minute.
    const changes = { listen: false, pollIntervalMs: 60_000 };
    const options = { testDatabase: app.database, orgId: app.orgId, time: app.clock };
    const deaf = await startTestApp({ ...options, database: { url: '', changes } });
    try {
      const leaver = await newUser(app.call);
      const key = await newRequest();
      const { device } = (await enroll(app, leaver, { csr: key.csr })).body;
      const token = await newToken(deaf.call, leaver);
      await app.call('POST', `/v1/users/${leaver}/offboard`);
      const { csr } = await newRequest();
      expectRefused(await deaf.as(null)('POST', '/v1/devices/enroll', { token, csr }), 401);
      const renewal = { csr, proof: key.prove(csr) };
      expectRefused(await deaf.as(null)('POST', `/v1/devices/${device.id}/renew`, renewal), 409);
      await app.call('POST', `/v1/users/${leaver}/reinstate`);
      // The suspension has revoked the token. A person who comes back needs a new one.
      expectRefused(await deaf.as(null)('POST', '/v1/devices/enroll', { token, csr }), 401);
    } finally {
      await deaf.close();
    }
  });

  it('is the only one that is enrolled if several send the same token at the same time, on two replicas', async () => {
    const other = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    try {
      for (let round = 0; round < 5; round++) {
        const token = await newToken(app.call, user);
        const requests = await Promise.all(Array.from({ length: 6 }, () => newRequest()));
        const answers = await Promise.all(
          requests.map(({ csr }, at) => (at % 2 ? other : app).as(null)('POST', '/v1/devices/enroll', { token, csr })),
        );
        const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
        expect(statuses).toEqual([201, 401, 401, 401, 401, 401]);
      }
      const [count] = await app.database.asOwner<{ authorities: number; twice: number }>(
        `select (select count(*)::int from governance.device_authorities where org_id = $1) as authorities,
           (select count(*)::int from (select 1 from governance.device_certificates where org_id = $1
             group by device_id having count(*) > 1) d) as twice`,
        [app.orgId],
      );
      expect(count).toEqual({ authorities: 1, twice: 0 });
    } finally {
      await other.close();
    }
  });
});

describe('routes that take no access token', () => {
  it('are limited per address, and never by the limit of a token', async () => {
    const limits = { requestsPerMinute: 3, trustedProxies: ['127.0.0.0/8'] };
    const limited = await startTestApp({ testDatabase: app.database, ...limits });
    try {
      const from = (address: string) =>
        limited.as(null)('POST', '/v1/devices/enroll', { token: 'x', csr: 'x' }, { 'x-forwarded-for': address });
      for (let sent = 0; sent < 3; sent++) expect((await from('203.0.113.7')).status).toBe(401);
      const answer = await from('203.0.113.7');
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await from('203.0.113.8')).status).toBe(401);
      expect((await limited.call('GET', '/v1/devices')).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('devices of two organizations', () => {
  it('have certificates of different authorities', async () => {
    const other = await app.addOrganization();
    const theirs = (await enroll(app, await newUser(other.call), { call: other.call })).body;
    const ours = (await enroll(app, user)).body;
    expect(theirs.device.org_id).toBe(other.orgId);
    expect(theirs.ca_certificate).not.toBe(ours.ca_certificate);
    const certificate = new X509Certificate(theirs.certificate);
    expect(certificate.verify(new X509Certificate(ours.ca_certificate).publicKey)).toBe(false);
    expectRefused(await app.call('GET', `/v1/devices/${theirs.device.id}`), 404);
    expectRefused(await app.call('POST', `/v1/devices/${theirs.device.id}/revoke`), 404);
  });
});

describe('the list of devices', () => {
  it('filters by user and status, and shows members their own', async () => {
    const [ada, bob] = [await newUser(app.call), await newUser(app.call)];
    const mine = [];
    for (let at = 0; at < 3; at++) {
      // Advances the clock, because devices that are enrolled in the same millisecond are listed in any order.
      app.clock.advance(1);
      mine.unshift((await enroll(app, ada)).body.device.id);
    }
    await enroll(app, bob);
    await app.call('POST', `/v1/devices/${mine[1]}/revoke`);
    const idsOf = async (query: string, call: Call = app.call) =>
      (await call('GET', `/v1/devices?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await idsOf(`user_id=${ada.toUpperCase()}`)).toEqual(mine);
    expect(await idsOf(`user_id=${ada}&status=revoked`)).toEqual([mine[1]]);
    expect(await idsOf(`user_id=${ada}&status=active`)).toEqual([mine[0], mine[2]]);
    expect(await idsOf(`user_id=${ada}&status=expired`)).toEqual([]);
    app.clock.advance(397 * DAY_MS);
    const later = (await app.addToken('auditor')).call;
    expect(await idsOf(`user_id=${ada}&status=expired`, later)).toEqual([mine[0], mine[2]]);
    app.clock.advance(-397 * DAY_MS);
    expectRefused(await app.call('GET', '/v1/devices?status=unknown'), 400, 'status');

    const member = (await app.addToken('member', ada)).call;
    expect(await idsOf('', member)).toEqual(mine);
    expect((await member('GET', `/v1/devices/${mine[0]}`)).status).toBe(200);
    expectRefused(await member('GET', `/v1/devices?user_id=${bob}`), 403);
    const [others] = await idsOf(`user_id=${bob}`);
    expectRefused(await member('GET', `/v1/devices/${others}`), 404);
    expectRefused(await member('POST', `/v1/devices/${mine[0]}/revoke`), 403);
    expectRefused(await member('POST', '/v1/devices/enrollments', { user_id: ada, name: 'x' }), 403);
  });
});
