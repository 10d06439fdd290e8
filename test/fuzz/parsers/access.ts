import fc from 'fast-check';
import { readInput } from '#access';
import { CursorSealer, inspectJson, parseKeyring } from '#core';
import { isInstant } from '../../../libs/access/http/instant.js';
import { bearerCredentialOf } from '../../../libs/access/sign-in/bearer-credential.js';
import { ClientAddress } from '../../../libs/access/request/client-address.js';
import { looksLikeJwt } from '../../../libs/access/principals/jwt-shape.js';
import { hashToken, isWellFormedToken, newToken } from '../../../libs/access/tokens/token-format.js';
import { CreateTokenDto } from '../../../libs/access/routes/token.dto.js';
import { ManualClock } from '../../support/manual-clock.js';
import { fields, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const ORG = '0199c2a8-6b1e-4d10-8c52-1f0a7e9d4b33';
const KEYS = parseKeyring(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
const sealer = new CursorSealer(KEYS, new ManualClock());
const cursor = (position: (string | number | null)[]): string => sealer.seal(ORG, 'digest', { position });
const addresses = new ClientAddress({ trustedProxies: ['10.0.0.0/8', '::1'] });

/** Credentials, cursors, JSON texts, times and addresses. */
export const ACCESS_PARSERS: FuzzedParser[] = [
  {
    kind: 'text',
    name: 'access token',
    seeds: [`Bearer ${newToken()}`, 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln', 'bearer  x', 'Basic YTpi'],
    read: header => {
      const credential = bearerCredentialOf({ headers: { authorization: header } });
      if (credential === null) return;
      isWellFormedToken(credential);
      looksLikeJwt(credential);
      hashToken(credential);
    },
  },
  {
    kind: 'json',
    name: 'body of a token',
    seeds: [
      { name: 'CI', role: 'agent', scopes: ['usage:write'], expires_in_days: 30, user_id: ORG },
      { name: 'x', role: 'admin', expires_at: '2027-01-01T00:00:00Z' },
    ],
    grammar: fields({ name: text, role: text, scopes: fc.array(text), expires_in_days: fc.double(), user_id: text }),
    read: body => readInput(CreateTokenDto, body, 'body'),
  },
  {
    kind: 'text',
    name: 'cursor',
    seeds: [cursor(['2026-11-20T12:00:00Z', ORG]), cursor([1, null]), cursor([]), 'k1.AAAA', 'k2.', '.'],
    read: given => sealer.open(ORG, 'digest', given),
  },
  {
    kind: 'text',
    name: 'JSON text',
    seeds: ['{"a":[1,{"b":"\\u0041\\\\"}],"c":null}', '{"a":1,"a":2}', '[[[[[[1]]]]]]', '{"\\u005f_proto__":1}'],
    grammar: fc.json(),
    read: given => {
      try {
        JSON.parse(given);
      } catch {
        return;
      }
      inspectJson(given);
    },
  },
  {
    kind: 'text',
    name: 'instant',
    seeds: ['2026-11-20T12:00:00Z', '1970-01-01T00:00:00.000000000+23:59', '9999-12-31T23:59:59-00:00'],
    grammar: sentence('2026', '-', '11', '20', 'T', '23', ':', '59', '.5', 'Z', '+01:00'),
    read: given => isInstant(given) && new Date(given).toISOString(),
  },
  {
    kind: 'text',
    name: 'X-Forwarded-For',
    seeds: ['203.0.113.7', '203.0.113.7, 10.0.0.1', '::ffff:10.0.0.1, fe80::1%eth0', '[2001:db8::1]:443, unknown'],
    grammar: sentence('203.0.113.7', '10.0.0.1', ', ', ',', '::1', '[', ']', ':443', '%', 'unknown', '/8'),
    read: header => {
      // The part of a request that proxy-addr reads.
      const request = { headers: { 'x-forwarded-for': header }, socket: { remoteAddress: '10.1.1.1' } };
      return addresses.of(request);
    },
  },
];
