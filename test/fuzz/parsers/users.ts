import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import fc from 'fast-check';
import { readInput } from '#access';
import { requestBytes, requestedKey } from '../../../libs/users/devices/enroll/device-certifier.js';
import { emailDefect, emailKey } from '../../../libs/users/email-address.js';
import { CreateUserDto } from '../../../libs/users/http/user.dto.js';
import { csvRecords } from '../../../libs/users/import/csv-records.js';
import { columnsOf } from '../../../libs/users/import/import-columns.js';
import { readLine } from '../../../libs/users/import/import-line.js';
import { departureDateDefect, instantOfDeparture, isDay } from '../../../libs/users/lifecycle/departure.js';
import { fields, sentence, text } from '../json.js';
import type { FuzzedParser } from '../parser.js';

const HEADER = 'email,name,department,role,status,attributes.level:number,attributes.remote:boolean,attributes.team';
const CSV = [
  `${HEADER}\r\nada@x.example,"Lovelace, ""Ada""",Research,lead,active,7,TRUE,red\r\nbob@x.example,Bob,,,,,,\r\n`,
  'email;name\nada@x.example;Ada\n"b@x.example";"B\nC"\n',
  'email\tname\rada@x.example\tAda\r',
  '\uFEFFName,EMAIL\n\n"quoted"x,a@x.example\n',
];

/** Certificate requests of two kinds of keys, in PEM. */
async function requests(): Promise<string[]> {
  const kinds: { name: string; namedCurve?: string }[] = [{ name: 'ECDSA', namedCurve: 'P-256' }, { name: 'Ed25519' }];
  return Promise.all(
    kinds.map(async algorithm => {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const signingAlgorithm = { name: algorithm.name, hash: 'SHA-256' };
      const made = await Pkcs10CertificateRequestGenerator.create(
        { name: 'CN=device', keys, signingAlgorithm },
        webcrypto,
      );
      return made.toString('pem');
    }),
  );
}

/** Encodes bytes as PEM, so that tests can change the DER inside of a request. */
function pem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

async function readCsv(csv: string): Promise<void> {
  let columns: ReturnType<typeof columnsOf> | undefined;
  for await (const record of csvRecords([csv])) {
    if (columns) readLine(columns, record);
    else columns = columnsOf(record.cells);
  }
}

/** Imports, people and devices. */
export async function userParsers(): Promise<FuzzedParser[]> {
  const seeds = await requests();
  const ders = seeds.map(each => Buffer.from(each.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64'));
  const changed = fc
    .tuple(fc.constantFrom(...ders), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 }))
    .map(([der, changes]) => {
      const copy = Buffer.from(der);
      for (const [at, byte] of changes) copy[at % copy.length] = byte;
      return pem(copy);
    });
  return [
    {
      kind: 'text',
      name: 'users, CSV',
      share: 2,
      seeds: CSV,
      grammar: fc
        .array(sentence('a@x.example', ',', ',', '"', '""', '\n', '\r\n', 'Ada', ';', '\t', 'active'), { maxLength: 6 })
        .map(lines => `${HEADER}\n${lines.join('\n')}`),
      read: readCsv,
    },
    {
      kind: 'text',
      name: 'certificate request',
      share: 0.5,
      seeds,
      grammar: changed,
      read: csr => requestedKey(requestBytes(csr)),
    },
    {
      kind: 'text',
      name: 'e-mail address',
      seeds: ['ada@example.com', ' Ada@EXAMPLE.com ', '"a b"@x.example', 'ä@müller.example', 'a@[127.0.0.1]'],
      grammar: sentence('a', '@', '.', 'example', '"', '+', 'ß', ' '),
      read: address => emailDefect(address) ?? emailKey(address),
    },
    {
      kind: 'text',
      name: 'departure date',
      seeds: ['2026-12-31', '2026-12-31T18:00:00+01:00', '2026-02-29', '9999-12-31', '1970-01-01'],
      grammar: sentence('2026', '-', '12', '31', 'T', '18:00:00', '+01:00', 'Z'),
      read: date => {
        if (departureDateDefect(date) === undefined) instantOfDeparture(date, 'Europe/Berlin');
        isDay(date);
      },
    },
    {
      kind: 'json',
      name: 'body of a user',
      seeds: [
        {
          email: 'ada@x.example',
          name: 'Ada',
          department: 'R',
          role: 'member',
          status: 'active',
          attributes: { a: 1 },
        },
      ],
      grammar: fields({
        email: fc.emailAddress(),
        name: text,
        department: text,
        attributes: fc.dictionary(text, text),
      }),
      read: body => readInput(CreateUserDto, body, 'body'),
    },
  ];
}
