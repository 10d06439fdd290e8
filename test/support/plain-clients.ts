import { request, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:tls';

/** A complete answer. */
export interface PlainAnswer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Informational statuses (below 200) before the final one. */
  informational: number[];
}

/** Posts with `node:https` and reads the whole answer. Rejects with the connection's error. */
export function post(url: string, body = '', options: RequestOptions = {}): Promise<PlainAnswer> {
  return new Promise((done, fail) => {
    const informational: number[] = [];
    const sent = request(url, { method: 'POST', ...options }, response => {
      const { statusCode: status, headers } = response;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
      response.on('end', () => done({ status, headers, body: Buffer.concat(chunks), informational }));
    });
    sent.on('information', ({ statusCode }) => informational.push(statusCode));
    sent.on('error', fail).end(body);
  });
}

/** All bytes of a connection, valid HTTP or not. */
export interface Wire {
  text: string;
  /**
   * Why the reading stopped: `open` after the time limit, `enough` after enough bytes, `end` after a normal end, or an
   * error code.
   */
  ended: string;
  /** Number of chunks in which the bytes arrived. */
  pieces: number;
}

/**
 * Posts over a raw socket and reads until the connection ends, the time limit is reached, or enough bytes have arrived.
 */
export function listen(port: number, ca: string, milliseconds: number, enough = Infinity): Promise<Wire> {
  return new Promise(done => {
    const socket = connect({ host: '127.0.0.1', port, ca });
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (ended: string): void => {
      clearTimeout(timer);
      socket.destroy();
      done({ text: Buffer.concat(chunks).toString('latin1'), ended, pieces: chunks.length });
    };
    const timer = setTimeout(() => finish('open'), milliseconds);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= enough) finish('enough');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message));
    socket.on('end', () => finish('end'));
    socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}');
  });
}
