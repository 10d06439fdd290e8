import 'reflect-metadata';
import { KeyObject, sign, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import type { Answer, Call, TestApp } from '../../support/test-app.js';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate request and its key. */
export interface KeyedRequest {
  csr: string;
  /** A signature of this key over another certificate request, as a device sends it. */
  prove(other: string): string;
}

/** A new key on P-256 and a certificate request for it, without the command `openssl`. */
export async function newRequest(): Promise<KeyedRequest> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create(
    { name: 'CN=Laptop', keys, signingAlgorithm: ALGORITHM },
    webcrypto,
  );
  const key = KeyObject.from(keys.privateKey);
  return {
    csr: request.toString('pem'),
    prove: other => sign('sha256', bytesOf(other), key).toString('base64'),
  };
}

/** The bytes between the lines of a PEM block. */
export function bytesOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}

let people = 0;

/** The id of a new user. */
export async function newUser(call: Call): Promise<string> {
  const { status, body, text } = await call('POST', '/v1/users', {
    email: `user${++people}@example.com`,
    name: 'User',
  });
  if (status !== 201) throw new Error(text);
  return body.id;
}

/** A token to enroll a device of the user. */
export async function newToken(call: Call, user_id: string, name = 'Laptop 17'): Promise<string> {
  const { status, body, text } = await call('POST', '/v1/devices/enrollments', { user_id, name });
  if (status !== 201) throw new Error(text);
  return body.token;
}

/** Enrolls a device with a new token and a new key, unless they are given. Returns the answer. */
export async function enroll(app: TestApp, userId: string, given: { csr?: string; call?: Call } = {}): Promise<Answer> {
  const token = await newToken(given.call ?? app.call, userId);
  return app.as(null)('POST', '/v1/devices/enroll', { token, csr: given.csr ?? (await newRequest()).csr });
}
