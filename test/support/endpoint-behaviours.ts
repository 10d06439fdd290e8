import type { ServerResponse, IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A received request with its complete body. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The time when the headers had arrived, in milliseconds since 1970. */
  arrivedAt: number;
  /** The same time by `performance.now()`, in milliseconds. */
  arrivedTick: number;
  /** The number of the request's connection, beginning with 1. */
  connection: number;
}

/** The context of a behavior, once the whole request has arrived. */
export interface Exchange {
  response: ServerResponse;
  /** The socket, for bytes that are not valid HTTP. A behavior that uses the socket must not use `response`. */
  socket: Socket;
  /** Ends the connection with a TCP reset. */
  reset(): void;
}

/** How an endpoint answers a request. */
export interface Behaviour {
  act(exchange: Exchange): void;
}

/** Answers correctly and keeps the connection open. */
export function answer(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Behaviour {
  const length = String(Buffer.byteLength(body));
  const all = status === 204 || status === 304 ? headers : { 'content-length': length, ...headers };
  return { act: ({ response }) => void response.writeHead(status, all).end(body) };
}

/** Redirects to another URL. */
export function redirect(location: string, status = 302): Behaviour {
  return answer(status, '', { location });
}

/** Waits, and then behaves in another way. */
export function slow(milliseconds: number, then: Behaviour = answer(200, 'ok')): Behaviour {
  return { act: exchange => after(exchange.socket, milliseconds, () => then.act(exchange)) };
}

/** A body of this many bytes. It is sent as fast as the client reads it. */
export function hugeBody(bytes = GIBIBYTE, chunkBytes = 65_536): Behaviour {
  const chunk = Buffer.alloc(chunkBytes, 'x');
  return {
    act: ({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${bytes}\r\n\r\n`);
      let left = bytes;
      flood(socket, () => {
        const next = left >= chunk.length ? chunk : chunk.subarray(0, left);
        left -= next.length;
        return next.length > 0 ? next : undefined;
      });
    },
  };
}

/**
 * A small answer that decompresses to a multiple of 16 MiB of zeros. gzip allows several members in a row (RFC 1952,
 * 2.2).
 */
function gzipBomb(unpackedBytes = GIBIBYTE): Behaviour {
  const member = gzipSync(Buffer.alloc(BOMB_MEMBER));
  const members = Array.from({ length: Math.ceil(unpackedBytes / BOMB_MEMBER) }, () => member);
  return answer(200, Buffer.concat(members), { 'content-encoding': 'gzip' });
}

/**
 * An endless sequence of informational answers, one per interval. With interval 0, they are sent as fast as the client
 * reads them.
 */
export function endlessInformational(everyMs = 10): Behaviour {
  const line = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n';
  return {
    act: ({ socket }) => {
      if (everyMs === 0) flood(socket, () => Buffer.from(line.repeat(100)));
      else every(socket, everyMs, () => socket.write(line));
    },
  };
}

/** Sends one byte of the body per interval, endlessly. */
export function dripBody(everyMs = 100): Behaviour {
  return {
    act: ({ response, socket }) => {
      response.writeHead(200).flushHeaders();
      every(socket, everyMs, () => response.write('x'));
    },
  };
}

/** Sends one byte of the headers per interval, endlessly. */
function dripHeaders(everyMs = 100): Behaviour {
  const start = 'HTTP/1.1 200 OK\r\nx-drip: ';
  return {
    act: ({ socket }) => {
      let sent = 0;
      every(socket, everyMs, () => socket.write(start[sent++] ?? 'x'));
    },
  };
}

const GIBIBYTE = 1024 ** 3;
const BOMB_MEMBER = 16 * 1024 ** 2;
const CUT_SHORT = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789';
/** Time for the client to read the sent bytes before the connection is reset. */
const READING_MS = 50;
let bomb: Behaviour | undefined;

/** Behaviors without arguments. */
export const BEHAVIOURS = {
  ok: answer(200, 'ok'),
  /** Reads the request and never answers. */
  hang: { act: () => undefined },
  'drip body': dripBody(),
  'drip headers': dripHeaders(),
  /** Sends header lines endlessly, as fast as the client reads them. */
  'endless headers': {
    act: ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, () => Buffer.from('x-more: 0123456789012345678901234567890123456789\r\n'.repeat(20)));
    },
  },
  'endless 1xx': endlessInformational(),
  'huge body': hugeBody(),
  'gzip bomb': { act: exchange => (bomb ??= gzipBomb()).act(exchange) },
  'invalid utf-8': answer(200, Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62])),
  nul: answer(200, 'a\0b'),
  reset: { act: exchange => exchange.reset() },
  'reset after headers': {
    act: exchange => {
      exchange.socket.write(CUT_SHORT);
      after(exchange.socket, READING_MS, () => exchange.reset());
    },
  },
  close: { act: ({ socket }) => void socket.destroy() },
  /** The body ends without an error before its announced length. */
  'close after headers': { act: ({ socket }) => void socket.end(CUT_SHORT) },
  /** Sends the informational answers 100 and 103, and then an ordinary answer. */
  informational: {
    act: exchange => {
      exchange.response.writeContinue();
      exchange.response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      BEHAVIOURS.ok.act(exchange);
    },
  },
  /** A protocol other than HTTP. */
  garbage: { act: ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n') },
} satisfies Record<string, Behaviour>;

export type BehaviourName = keyof typeof BEHAVIOURS;

/** Runs until the connection closes. */
function every(socket: Socket, milliseconds: number, run: () => void): void {
  const timer = setInterval(run, milliseconds);
  socket.once('close', () => clearInterval(timer));
}

function after(socket: Socket, milliseconds: number, run: () => void): void {
  const forget = (): void => clearTimeout(timer);
  const timer = setTimeout(() => {
    // Removes the listeners, because the connection may serve many more requests.
    socket.off('close', forget);
    run();
  }, milliseconds);
  socket.once('close', forget);
}

/** Writes as fast as the client reads, until the end of the data or of the connection. */
function flood(socket: Socket, next: () => Buffer | undefined): void {
  const go = (): void => {
    let chunk = next();
    while (chunk !== undefined && !socket.destroyed) {
      if (!socket.write(chunk)) {
        socket.once('drain', go);
        return;
      }
      chunk = next();
    }
    socket.end();
  };
  go();
}
