import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GovernanceOperations } from '#governance';
import { openSsl, type OpenSsl } from '../../support/openssl.js';
import { startTestApp, type Answer, type TestApp } from '../../support/test-app.js';
import { enroll, newRequest, newToken, newUser } from './devices.support.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const PUBLIC_URL = 'https://governance.example.com';
const DER = { accept: 'application/pkix-crl' };

let app: TestApp;
let user: string;

beforeAll(async () => {
  app = await startTestApp({ devices: { publicUrl: PUBLIC_URL } });
  user = await newUser(app.call);
});

afterAll(() => app.close());

const revoke = (id: string, body?: object) => app.call('POST', `/v1/devices/${id}/revoke`, body);

describe('a revoked device', () => {
  it('shows since when and why, and stays revoked', async () => {
    const { device } = (await enroll(app, user)).body;
    const { status, body } = await revoke(device.id, { reason: 'Left in a train', crl_reason: 'key_compromise' });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...device,
        status: 'revoked',
        revoked_at: app.clock.now().toISOString(),
        revocation_reason: 'Left in a train',
        crl_reason: 'key_compromise',
        updated_at: app.clock.now().toISOString(),
      },
    });
    expect((await app.call('GET', `/v1/devices/${device.id}`)).body).toEqual(body);
    expect((await revoke(device.id)).status).toBe(409);
    const { items } = (await app.call('GET', '/v1/audit-log?resource_type=device&limit=1')).body;
    expect(items[0]).toMatchObject({
      action: 'device.revoked',
      before: { revoked_at: null },
      after: { crl_reason: 'key_compromise' },
    });
  });

  it('needs no reason, and refuses reasons unknown to revocation lists', async () => {
    const { device } = (await enroll(app, user)).body;
    expect((await revoke(device.id, { crl_reason: 'lost' })).status).toBe(400);
    expect((await revoke(device.id)).body).toMatchObject({ crl_reason: 'unspecified', revocation_reason: null });
  });

  it('is revoked once, also by two concurrent requests', async () => {
    const { device } = (await enroll(app, user)).body;
    const answers = await Promise.all(Array.from({ length: 4 }, () => revoke(device.id)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
  });

  it('never gets a certificate again for a compromised key', async () => {
    const { csr } = await newRequest();
    const { device } = (await enroll(app, user, { csr })).body;
    await revoke(device.id, { crl_reason: 'key_compromise' });
    const token = await newToken(app.call, user);
    const refused = await app.as(null)('POST', '/v1/devices/enroll', { token, csr });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'csr' }] } });
    const fresh = { token, csr: (await newRequest()).csr };
    expect((await app.as(null)('POST', '/v1/devices/enroll', fresh)).status).toBe(201);
  });

  it('can be marked as compromised afterwards, once; no other reason replaces the first', async () => {
    const { csr } = await newRequest();
    const { device } = (await enroll(app, user, { csr })).body;
    const first = (await revoke(device.id, { reason: 'Lost', crl_reason: 'superseded' })).body;
    app.clock.advance(HOUR_MS);
    for (const crl_reason of ['superseded', 'unspecified', 'privilege_withdrawn']) {
      expect((await revoke(device.id, { crl_reason })).status).toBe(409);
    }
    const { status, body } = await revoke(device.id, { crl_reason: 'key_compromise' });
    const now = app.clock.now().toISOString();
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...first, crl_reason: 'key_compromise', updated_at: now },
    });
    expect((await revoke(device.id, { crl_reason: 'key_compromise' })).status).toBe(409);
    const { items } = (await app.call('GET', '/v1/audit-log?resource_type=device&limit=1')).body;
    expect(items[0]).toMatchObject({
      action: 'device.revoked',
      before: { crl_reason: 'superseded', revocation_reason: 'Lost' },
      after: { crl_reason: 'key_compromise', revocation_reason: 'Lost' },
    });
    expect(await enroll(app, user, { csr })).toMatchObject({ status: 400, body: { details: [{ field: 'csr' }] } });
    app.clock.advance(-HOUR_MS);
  });

  it('revokes every device with the same key if the key was compromised', async () => {
    const [key, next] = [await newRequest(), await newRequest()];
    const { device: first } = (await enroll(app, user, { csr: key.csr })).body;
    await revoke(first.id);
    // The key of a revoked device may enroll another device. If the key is compromised, this applies to all of these
    // devices, also after a renewal.
    const { device: second } = (await enroll(app, user, { csr: key.csr })).body;
    const renewal = { csr: next.csr, proof: key.prove(next.csr) };
    await app.as(null)('POST', `/v1/devices/${second.id}/renew`, renewal);
    await revoke(second.id);
    const { device: third } = (await enroll(app, user, { csr: next.csr })).body;
    const { device: stranger } = (await enroll(app, user)).body;
    await revoke(first.id, { reason: 'Its key was in a backup', crl_reason: 'key_compromise' });
    for (const { id } of [first, second, third]) {
      expect((await app.call('GET', `/v1/devices/${id}`)).body).toMatchObject({
        status: 'revoked',
        crl_reason: 'key_compromise',
        revocation_reason: 'Its key was in a backup',
      });
    }
    expect((await app.call('GET', `/v1/devices/${stranger.id}`)).body.status).toBe('active');
    const rows = await app.database.asOwner<{ crl_reason: string }>(
      'select crl_reason from governance.device_certificates where device_id in ($1, $2, $3)',
      [first.id, second.id, third.id],
    );
    expect(rows.map(row => row.crl_reason)).toEqual(Array(4).fill('key_compromise'));
    const decision = { user_id: user, device_id: third.id, provider: 'p', model: 'm' };
    const { id } = (await app.call('POST', '/v1/decisions', decision)).body;
    expect((await app.call('GET', `/v1/decisions/${id}`)).body.attributes.device_status).toBe('revoked');
  });
});

describe('a relying party with openssl', () => {
  let ssl: OpenSsl;

  beforeAll(() => {
    ssl = openSsl();
  });

  afterAll(() => ssl?.remove());

  /** Downloads the certificates and lists, and checks a certificate with a clock that is this far behind the app's. */
  async function verify(certificate: string, behindMs = 0): Promise<{ code: number | null; text: string }> {
    ssl.write('ca.pem', (await app.call('GET', '/v1/devices/ca')).text);
    ssl.write('list.pem', (await app.call('GET', '/v1/devices/crl')).text);
    ssl.write('device.pem', certificate);
    const at = String(Math.floor((app.clock.now().getTime() - behindMs) / 1000));
    const checks = ['-x509_strict', '-purpose', 'sslclient', '-crl_check', '-attime', at];
    return ssl.attempt('verify', ...checks, '-CAfile', 'ca.pem', '-CRLfile', 'list.pem', 'device.pem');
  }

  it.each([
    ['RSA', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']],
    ['EC', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384']],
    ['Ed25519', ['genpkey', '-algorithm', 'ED25519']],
  ])(
    'accepts a device that was enrolled with its %s key, and refuses it after its revocation',
    async (_kind, newKey) => {
      const { device, certificate } = (await enroll(app, user, { csr: ssl.request('device', newKey) })).body;
      expect(await verify(certificate)).toEqual({ code: 0, text: 'device.pem: OK\n' });
      ssl.write('device.pem', certificate);
      const key = ssl.run('pkey', '-in', 'device.key', '-pubout');
      expect(ssl.run('x509', '-in', 'device.pem', '-noout', '-pubkey')).toBe(key);

      await revoke(device.id);
      const refused = await verify(certificate);
      expect(refused.code).not.toBe(0);
      expect(refused.text).toContain('error 23 at 0 depth lookup: certificate revoked');
      const other = (await enroll(app, user)).body.certificate;
      expect((await verify(other)).code).toBe(0);
    },
  );

  it('may have a clock that is five minutes behind', async () => {
    const gone = (await enroll(app, user)).body;
    await revoke(gone.device.id);
    const { certificate } = (await enroll(app, user)).body;
    expect(await verify(certificate, 5 * 60_000)).toEqual({ code: 0, text: 'device.pem: OK\n' });
    expect((await verify(gone.certificate, 5 * 60_000)).text).toContain('certificate revoked');
  });

  it('never accepts a compromised key again, however the key is encoded', async () => {
    const { device } = (await enroll(app, user, { csr: ssl.request('plain') })).body;
    await revoke(device.id, { crl_reason: 'key_compromise' });
    for (const form of ['compressed', 'hybrid', 'uncompressed']) {
      ssl.run('ec', '-in', 'plain.key', '-conv_form', form, '-out', 'other.key');
      const csr = ssl.run('req', '-new', '-key', 'other.key', '-subj', '/CN=other');
      expect(await enroll(app, user, { csr })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'csr', message: expect.stringContaining('revoked as compromised') }] },
      });
    }
  });

  it('gets the same list until a revocation or half a day later, and then the next one', async () => {
    const read = async () =>
      ssl.run('crl', '-in', ssl.write('a.pem', await text()), '-noout', '-crlnumber', '-nextupdate');
    const text = async () => (await app.call('GET', '/v1/devices/crl')).text;
    const first = await text();
    expect(await text()).toBe(first);
    const numberOf = async () => Number.parseInt(/crlNumber=0x(\w+)/i.exec(await read())?.[1] ?? '', 16);
    const number = await numberOf();
    const { device } = (await enroll(app, user)).body;
    expect(await numberOf()).toBe(number);
    await revoke(device.id);
    expect(await numberOf()).toBe(number + 1);
    app.clock.advance(12 * HOUR_MS);
    const lists = await Promise.all(Array.from({ length: 5 }, text));
    expect(new Set(lists).size).toBe(1);
    expect(await numberOf()).toBe(number + 2);
    app.clock.advance(-12 * HOUR_MS);
  });

  it('finds the list at the address in the certificate, without a token, in DER', async () => {
    const { certificate, device } = (await enroll(app, user)).body;
    await revoke(device.id);
    ssl.write('device.pem', certificate);
    const point = ssl.run('x509', '-in', 'device.pem', '-noout', '-ext', 'crlDistributionPoints');
    const [, path = ''] = new RegExp(`URI:${PUBLIC_URL}(/\\S+)`).exec(point) ?? [];
    expect(path).toMatch(/^\/v1\/devices\/authorities\/[0-9a-f-]{36}\/crl$/);
    const response = await fetch(app.url + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/pkix-crl');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const der = Buffer.from(await response.arrayBuffer());
    ssl.write('list.der', der);
    const asPem = ssl.run('crl', '-inform', 'DER', '-in', 'list.der');
    expect((await app.call('GET', '/v1/devices/crl')).text).toBe(asPem);
    const asked = await fetch(`${app.url}/v1/devices/crl`, {
      headers: { ...DER, authorization: `Bearer ${app.adminToken}` },
    });
    expect(Buffer.from(await asked.arrayBuffer())).toEqual(der);
    expect((await app.as(null)('GET', path.replace(/[0-9a-f]{8}/, '00000000'))).status).toBe(404);
    expect((await app.as(null)('GET', '/v1/devices/crl')).status).toBe(401);
  });

  it('keeps a certificate on the list until one list was created after its end', async () => {
    const short = await startTestApp({ testDatabase: app.database, devices: { certificateDays: 1 } });
    try {
      const { device } = (await enroll(short, await newUser(short.call))).body;
      await short.call('POST', `/v1/devices/${device.id}/revoke`);
      const listed = async (): Promise<boolean> => {
        const list = ssl.write('short.pem', (await short.call('GET', '/v1/devices/crl')).text);
        return ssl.run('crl', '-in', list, '-noout', '-text').toLowerCase().includes(device.certificate_serial);
      };
      expect(await listed()).toBe(true);
      short.clock.advance(DAY_MS + 12 * HOUR_MS);
      expect(await listed()).toBe(true);
      short.clock.advance(DAY_MS);
      expect(await listed()).toBe(false);
    } finally {
      await short.close();
    }
  });

  it('still verifies when a new authority takes over before the old one ends', async () => {
    const old = (await enroll(app, user)).body;
    const before: Answer = await app.call('GET', '/v1/devices/ca');
    const years = 9 * 365 * DAY_MS;
    app.clock.advance(years);
    const { token, call } = await app.addToken('admin');
    expect(token).toBeTruthy();
    const user2 = (await call('POST', '/v1/users', { email: 'later@example.com', name: 'Later' })).body.id;
    const fresh = (await enroll(app, user2, { call })).body;
    expect(fresh.ca_certificate).not.toBe(old.ca_certificate);
    const authorities = (await call('GET', '/v1/devices/ca')).text;
    expect(authorities).toBe(fresh.ca_certificate + before.text);
    ssl.write('ca.pem', authorities);
    ssl.write('list.pem', (await call('GET', '/v1/devices/crl')).text);
    ssl.write('device.pem', fresh.certificate);
    const at = String(Math.floor(app.clock.now().getTime() / 1000));
    const checks = ['-crl_check', '-attime', at, '-CAfile', 'ca.pem', '-CRLfile', 'list.pem', 'device.pem'];
    expect(ssl.attempt('verify', ...checks)).toEqual({ code: 0, text: 'device.pem: OK\n' });
    app.clock.advance(-years);
  });
});

describe('the private key of an authority', () => {
  it('is not in plain form in the table of authorities', async () => {
    await enroll(app, user);
    const rows = await app.database.asOwner('select a::text as text from governance.device_authorities a');
    // The beginning of PKCS #8 for a key on P-256, in hexadecimal and in base64.
    expect(JSON.stringify(rows)).not.toMatch(/PRIVATE|308187020100|MIGHAgEA/);
  });

  it('is encrypted with a new key of the keyring together with the other secrets, and still signs', async () => {
    const before = (await enroll(app, user)).body.ca_certificate;
    const [k1, k2] = [7, 8].map((byte, at) => `k${at + 1}:${Buffer.alloc(32, byte).toString('base64')}`);
    const options = { testDatabase: app.database, orgId: app.orgId, time: app.clock };
    const both = await startTestApp({ ...options, keys: `${k2},${k1}` });
    expect(await both.app.get(GovernanceOperations).rewrapSecrets()).toMatchObject({ remaining: 0, unreadable: [] });
    await both.close();
    const fresh = await startTestApp({ ...options, keys: `${k2}` });
    expect((await enroll(fresh, user)).body.ca_certificate).toBe(before);
    const back = await startTestApp({ ...options, keys: `${k1},${k2}` });
    await back.app.get(GovernanceOperations).rewrapSecrets();
    await Promise.all([fresh.close(), back.close()]);
  });

  it('is replaced by that of a new authority if it was lost', async () => {
    const other = await app.addOrganization();
    const theirs = await newUser(other.call);
    const first = (await enroll(app, theirs, { call: other.call })).body;
    await app.database.asOwner(`delete from governance.secrets where org_id = $1`, [other.orgId]);
    const second = (await enroll(app, theirs, { call: other.call })).body;
    expect(second.ca_certificate).not.toBe(first.ca_certificate);
    // Only the new authority has a revocation list, because the authority whose key was lost has never signed one.
    const { status, text } = await other.call('GET', '/v1/devices/crl');
    expect([status, text.match(/BEGIN/g)]).toEqual([200, ['BEGIN']]);
    expect((await other.call('POST', `/v1/devices/${first.device.id}/revoke`)).status).toBe(200);
  });
});
