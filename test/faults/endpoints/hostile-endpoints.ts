import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { answer, endlessInformational, redirect, type Behaviour } from '../../support/endpoint-behaviours.js';
import type { CertificateKind, Doing } from '../../support/https-endpoint.js';

/** The logged result of each attempt at an endpoint. */
export interface Expected {
  status?: number;
  /** The word before the colon of the error, if there is no status. */
  error?: string;
  /** The logged body, if there is a status. Default: none. */
  body?: string | RegExp;
  truncated?: true;
  /** Whether the attempt uses its full time limit. */
  takesAllTime?: true;
}

/** A hostile endpoint, and the logged result. */
export interface Hostile extends Expected {
  name: string;
  /** Behavior of the endpoint for requests. */
  doing?: Doing;
  /** Certificate of the endpoint. */
  certificate?: CertificateKind;
  /** Behavior of the endpoint for connections. Only for endpoints that are not web servers. */
  raw?: (socket: Socket) => void;
}

const KEPT_BYTES = 16 * 1024;
const TIMEOUT = { error: 'timeout', takesAllTime: true } as const;
const CUT_SHORT = { status: 200, body: '0123456789', truncated: true } as const;
const bombMember = gzipSync(Buffer.alloc(16 * 1024 ** 2));
/** The kept start of the answer as received. It is not decompressed. */
const bombStart = Buffer.concat([bombMember, bombMember]).subarray(0, KEPT_BYTES).toString('utf8');

/** Writes these bytes and closes the connection. */
const says = (text: string): Behaviour => ({ act: ({ socket }) => void socket.end(text) });

const SILENT: Hostile[] = [
  { name: 'says nothing', doing: 'hang', ...TIMEOUT },
  { name: 'drips headers', doing: 'drip headers', ...TIMEOUT },
  { name: 'sends an early hint now and then', doing: endlessInformational(500), ...TIMEOUT },
  { name: 'accepts connections and says nothing', raw: () => undefined, ...TIMEOUT },
  { name: 'drips TLS', raw: socket => dripTls(socket), ...TIMEOUT },
];

const LOUD: Hostile[] = [
  { name: 'drips a body', doing: 'drip body', status: 200, body: /^x{50,101}$/, truncated: true, takesAllTime: true },
  { name: 'sends headers without end', doing: 'endless headers', error: 'protocol' },
  { name: 'sends early hints without end', doing: 'endless 1xx', error: 'protocol' },
  { name: 'sends early hints as fast as it can', doing: endlessInformational(0), error: 'protocol' },
  { name: 'sends a gigabyte', doing: 'huge body', status: 200, body: 'x'.repeat(KEPT_BYTES), truncated: true },
  { name: 'sends a gzip bomb', doing: 'gzip bomb', status: 200, body: bombStart, truncated: true },
  {
    name: 'sends bytes that are no text',
    doing: 'invalid utf-8',
    status: 200,
    body: 'a\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFDb',
  },
  { name: 'sends NUL', doing: 'nul', status: 200, body: 'a\0b' },
  {
    name: 'sends all that is kept',
    doing: answer(200, 'y'.repeat(KEPT_BYTES)),
    status: 200,
    body: 'y'.repeat(KEPT_BYTES),
  },
  {
    name: 'sends one byte more',
    doing: answer(500, 'y'.repeat(KEPT_BYTES + 1)),
    status: 500,
    body: 'y'.repeat(KEPT_BYTES),
    truncated: true,
  },
];

const BROKEN: Hostile[] = [
  { name: 'resets before headers', doing: 'reset', error: 'reset' },
  { name: 'resets after headers', doing: 'reset after headers', ...CUT_SHORT },
  { name: 'closes without an answer', doing: 'close', error: 'reset' },
  { name: 'closes after headers', doing: 'close after headers', ...CUT_SHORT },
  { name: 'closes within headers', doing: says('HTTP/1.1 200 OK\r\ncontent-'), error: 'reset' },
  { name: 'speaks another protocol', doing: 'garbage', error: 'protocol' },
  {
    name: 'announces two lengths',
    doing: says('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    error: 'protocol',
  },
  { name: 'resets every connection', raw: socket => socket.resetAndDestroy(), error: 'reset' },
  { name: 'closes every connection', raw: socket => socket.destroy(), error: 'reset' },
  {
    name: 'speaks HTTP without TLS',
    raw: socket => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    error: 'tls',
  },
  { name: 'has a certificate for another host', certificate: 'wrong host', error: 'tls' },
  { name: 'has an expired certificate', certificate: 'expired', error: 'tls' },
  { name: 'has a self-signed certificate', certificate: 'self-signed', error: 'tls' },
];

const STATUSES: Hostile[] = [
  ...[204, 299].map(status => ({ name: `answers ${status}`, doing: status, status })),
  ...[300, 301, 302, 303, 307, 308].map(status => ({
    name: `redirects with ${status}`,
    doing: redirect('https://127.0.0.1:1/', status),
    status,
  })),
  ...[304, 400, 404, 410, 429, 500, 503].map(status => ({ name: `answers ${status}`, doing: status, status })),
  {
    name: 'answers 429 and says when',
    doing: answer(429, 'later', { 'retry-after': '3600' }),
    status: 429,
    body: 'later',
  },
  { name: 'hints early, then answers', doing: hintsThen(202), status: 202 },
  {
    name: 'changes the protocol',
    doing: says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    error: 'protocol',
  },
];

/** Hostile behaviors of endpoints. */
export const HOSTILE: readonly Hostile[] = [...SILENT, ...LOUD, ...BROKEN, ...STATUSES];

function hintsThen(status: number): Behaviour {
  return {
    act: ({ response }) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(status).end();
    },
  };
}

/** Sends the header of a TLS handshake record of 16 KiB, and then the bytes of the record one by one. */
function dripTls(socket: Socket): void {
  const start = Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00, 0x02]);
  let sent = 0;
  const timer = setInterval(() => socket.write(Buffer.of(start[sent++] ?? 0)), 100);
  socket.once('close', () => clearInterval(timer));
}
