import { randomUUID, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { openSsl } from '../../support/openssl.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { bytesOf, enroll, newRequest, newUser, type KeyedRequest } from './devices.support.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let app: TestApp;
let user: string;

beforeAll(async () => {
  app = await startTestApp();
  user = await newUser(app.call);
});

afterAll(() => app.close());

/** A host's own user directory. */
class Staff extends UserDirectory {
  static people: DirectoryUser[] = [];

  async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    return references.map(({ user_id }) => Staff.people.find(({ id }) => id === user_id));
  }

  async emails(): Promise<Map<string, string>> {
    return new Map();
  }

  async recordActivity(): Promise<void> {}
}

/** A device, and the key with which it was enrolled. */
async function enrolled(): Promise<{ device: Answer['body']; key: KeyedRequest; certificate: string }> {
  const key = await newRequest();
  const { device, certificate } = (await enroll(app, user, { csr: key.csr })).body;
  return { device, key, certificate };
}

const renew = (id: string, csr: string, proof: string) =>
  app.as(null)('POST', `/v1/devices/${id}/renew`, { csr, proof });

describe('a device that renews its certificate', () => {
  it('gets a certificate for its new key, and the old certificate stays valid until its end', async () => {
    const { device, key, certificate } = await enrolled();
    const next = await newRequest();
    app.clock.advance(DAY_MS);
    const { status, body } = await renew(device.id, next.csr, key.prove(next.csr));
    expect(status).toBe(201);
    const issued = new X509Certificate(body.certificate);
    expect(body.device).toEqual({
      ...device,
      certificate_serial: issued.serialNumber.toLowerCase(),
      fingerprint_sha256: issued.fingerprint256.replaceAll(':', '').toLowerCase(),
      certificate_expires_at: new Date(app.clock.now().getTime() + 397 * DAY_MS).toISOString(),
      updated_at: app.clock.now().toISOString(),
    });
    expect(issued.subject).toBe(`CN=${device.id}`);
    expect(issued.publicKey.equals(new X509Certificate(certificate).publicKey)).toBe(false);
    const { items } = (await app.call('GET', '/v1/audit-log?resource_type=device&limit=1')).body;
    expect(items[0]).toMatchObject({ action: 'device.renewed', actor_kind: 'device', resource_id: device.id });
    // Neither certificate is on the revocation list until the device is revoked. Then both are on it.
    const serials = [certificate, body.certificate].map(pem => new X509Certificate(pem).serialNumber);
    expect(await revokedSerials()).not.toEqual(expect.arrayContaining([serials[0]]));
    await app.call('POST', `/v1/devices/${device.id}/revoke`);
    expect(await revokedSerials()).toEqual(expect.arrayContaining(serials));
    app.clock.advance(-DAY_MS);
  });

  it('may repeat a request whose answer was lost, any number of times', async () => {
    const { device, key } = await enrolled();
    const next = await newRequest();
    const first = await renew(device.id, next.csr, key.prove(next.csr));
    for (let time = 0; time < 2; time++) {
      const again = await renew(device.id, next.csr, key.prove(next.csr));
      expect(again).toMatchObject({ status: 201, body: { certificate: first.body.certificate } });
    }
    // With the previous key, only the same renewal can be repeated.
    const third = await newRequest();
    expect((await renew(device.id, third.csr, key.prove(third.csr))).status).toBe(401);
    expect((await renew(device.id, third.csr, next.prove(third.csr))).status).toBe(201);
    expect((await renew(device.id, next.csr, key.prove(next.csr))).status).toBe(401);
  });

  it('must prove possession of its current key, over this exact request', async () => {
    const { device, key } = await enrolled();
    const [next, other] = [await newRequest(), await newRequest()];
    const { device: another } = await enrolled();
    const wrong = [
      await renew(device.id, next.csr, next.prove(next.csr)),
      await renew(device.id, next.csr, key.prove(other.csr)),
      await renew(another.id, next.csr, key.prove(next.csr)),
      await renew(randomUUID(), next.csr, key.prove(next.csr)),
      await renew(device.id, next.csr, Buffer.alloc(70).toString('base64')),
    ];
    // All these requests get the same answer, so that it does not reveal which devices exist.
    for (const { status, body } of wrong) {
      expect({ status, message: body.message }).toEqual({ status: 401, message: wrong[0]?.body.message });
    }
    for (const proof of ['', '!', 'AAA', 'A'.repeat(1_372)]) {
      expect(await renew(device.id, next.csr, proof)).toMatchObject({
        status: 400,
        body: { details: [{ field: 'proof' }] },
      });
    }
    expect((await renew('laptop', next.csr, key.prove(next.csr))).status).toBe(404);
    expect((await app.call('GET', `/v1/devices/${device.id}`)).body).toEqual(device);
  });

  it('must send a new key', async () => {
    const { device, key } = await enrolled();
    expect(await renew(device.id, key.csr, key.prove(key.csr))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'csr', message: expect.stringContaining('make a new key') }] },
    });
    const next = await newRequest();
    expect((await renew(device.id, next.csr, key.prove(next.csr))).status).toBe(201);
    expect(await renew(device.id, key.csr, next.prove(key.csr))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'csr', message: 'has a previous key of the device; generate a new key' }] },
    });
    const other = await enrolled();
    expect(await renew(device.id, other.key.csr, next.prove(other.key.csr))).toMatchObject({
      status: 400,
      body: {
        details: [{ field: 'csr', message: 'has the key of another device; generate a new key on this device' }],
      },
    });
  });

  it('must belong to an existing user', async () => {
    const options = { testDatabase: app.database, orgId: app.orgId, time: app.clock };
    const host = await startTestApp({ ...options, userDirectory: Staff });
    try {
      const person: DirectoryUser = {
        ...{ id: randomUUID(), email: 'ada@example.com', name: 'Ada', department: null, role: 'member' },
        ...{ status: 'active', attributes: {} },
      };
      Staff.people = [person];
      const [key, next] = [await newRequest(), await newRequest()];
      const { device } = (await enroll(host, person.id, { csr: key.csr })).body;
      Staff.people = [];
      const asked = () =>
        host.as(null)('POST', `/v1/devices/${device.id}/renew`, { csr: next.csr, proof: key.prove(next.csr) });
      expect(await asked()).toMatchObject({ status: 409, body: { message: expect.stringContaining('gone') } });
      Staff.people = [person];
      expect((await asked()).status).toBe(201);
    } finally {
      await host.close();
    }
  });

  it('must not be revoked or expired, and its user must be active', async () => {
    const next = await newRequest();
    const revoked = await enrolled();
    await app.call('POST', `/v1/devices/${revoked.device.id}/revoke`);
    const expired = await enrolled();
    const leaver = await newUser(app.call);
    const key = await newRequest();
    const left = (await enroll(app, leaver, { csr: key.csr })).body.device;
    await app.call('POST', `/v1/users/${leaver}/offboard`);
    expect(await renew(left.id, next.csr, key.prove(next.csr))).toMatchObject({ status: 409 });
    expect(await renew(revoked.device.id, next.csr, revoked.key.prove(next.csr))).toMatchObject({
      status: 401,
      body: { message: 'The device is revoked; enroll it anew.' },
    });
    app.clock.advance(397 * DAY_MS);
    expect(await renew(expired.device.id, next.csr, expired.key.prove(next.csr))).toMatchObject({
      status: 401,
      body: { message: 'The device is expired; enroll it anew.' },
    });
    app.clock.advance(-397 * DAY_MS);
  });

  it('gets one certificate for two concurrent requests', async () => {
    const { device, key } = await enrolled();
    const requests = await Promise.all(Array.from({ length: 5 }, () => newRequest()));
    const answers = await Promise.all(requests.map(({ csr }) => renew(device.id, csr, key.prove(csr))));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses[0]).toBe(201);
    // 409: the device has changed since the request read it. 401: the device already has another key.
    for (const status of statuses.slice(1)) expect([401, 409]).toContain(status);
  });
});

describe('the proof of a renewal', () => {
  it('is the signature that openssl creates with RSA, EC and Ed25519 keys', async () => {
    const ssl = openSsl();
    try {
      for (const newKey of [
        ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
        ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
        ['genpkey', '-algorithm', 'ED25519'],
      ]) {
        const { id } = (await enroll(app, user, { csr: ssl.request('old', newKey) })).body.device;
        const csr = ssl.request('new', newKey);
        ssl.write('new.der', bytesOf(csr));
        if (newKey.includes('ED25519')) {
          ssl.run('pkeyutl', '-sign', '-rawin', '-inkey', 'old.key', '-in', 'new.der', '-out', 'proof');
        } else {
          ssl.run('dgst', '-sha256', '-sign', 'old.key', '-out', 'proof', 'new.der');
        }
        expect((await renew(id, csr, ssl.read('proof').toString('base64'))).status).toBe(201);
      }
    } finally {
      ssl.remove();
    }
  });
});

/** Serial numbers in the revocation list, read from its text form. */
async function revokedSerials(): Promise<string[]> {
  const ssl = openSsl();
  try {
    ssl.write('list.pem', (await app.call('GET', '/v1/devices/crl')).text);
    const text = ssl.run('crl', '-in', 'list.pem', '-noout', '-text');
    return [...text.matchAll(/Serial Number: (\w+)/g)].map(([, serial = '']) => serial);
  } finally {
    ssl.remove();
  }
}
