import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { constants, createGzip, type Gzip } from 'node:zlib';
import type { Script } from './script.js';
import type { Frame } from './vendor.js';

/** Time for the client to read the sent bytes before a reset, because a reset discards unread bytes. */
const READING_MS = 50;

/** Writes one answer by its script: in pieces, compressed, slowly, and up to a scripted break. */
export class AnswerWriter {
  /** Whether the exchange is over: the answer has ended, or the connection is closed. */
  isGone = false;
  /** Aborted when the exchange is over. It is created only if the answer waits, which most answers do not. */
  #gone: AbortController | undefined;
  readonly #response: ServerResponse;
  readonly #script: Script;
  readonly #rawSocket: Socket;
  #gzip: Gzip | undefined;
  #piece = 0;

  /** `rawSocket`: the TCP connection, also under TLS. */
  constructor(response: ServerResponse, script: Script, rawSocket: Socket) {
    this.#response = response;
    this.#script = script;
    this.#rawSocket = rawSocket;
    response.once('close', () => {
      this.isGone = true;
      this.#gone?.abort();
    });
  }

  /** Sends the status line and the headers at once. */
  head(status: number, headers: Record<string, string>, acceptsGzip: boolean): void {
    if (this.#script.encoding === 'gzip' && acceptsGzip) {
      this.#gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      this.#gzip.on('data', (bytes: Buffer) => void this.#response.write(bytes));
      this.#response.writeHead(status, { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' });
    } else {
      this.#response.writeHead(status, headers);
    }
    this.#response.flushHeaders();
  }

  /** One event of a stream, with its delay before it. */
  async frame(frame: Frame, part = 1): Promise<void> {
    const { delayMs } = this.#script;
    if (delayMs !== undefined) await this.pause(delayMs);
    if (this.isGone) return;
    const bytes = this.#bytesOf(frame);
    await this.write(part === 1 ? bytes : bytes.subarray(0, Math.ceil(bytes.length * part)));
  }

  async write(bytes: Buffer): Promise<void> {
    const { pieces } = this.#script;
    if (pieces === undefined || pieces.length === 0) return this.#pass(bytes);
    for (let at = 0; at < bytes.length && !this.isGone; this.#piece += 1) {
      const size = Math.max(1, pieces[this.#piece % pieces.length] ?? 1);
      await this.#pass(bytes.subarray(at, at + size));
      // Waits between pieces, because pieces that are written in one turn of the event loop would be sent in one
      // packet.
      await setImmediate();
      at += size;
    }
  }

  /** Waits. Returns early if the connection is closed. */
  async pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) await setImmediate();
    else await setTimeout(milliseconds, undefined, { signal: this.#goneSignal() }).catch(() => undefined);
  }

  /** Resolves once the connection is closed. */
  async hang(): Promise<void> {
    if (this.isGone) return;
    const signal = this.#goneSignal();
    await new Promise<void>(done => signal.addEventListener('abort', () => done(), { once: true }));
  }

  /** Ends the body. Calls `sent` when the whole body was written, and never if the client disconnected before. */
  async end(sent: () => void): Promise<void> {
    const gzip = this.#gzip;
    if (gzip !== undefined) await new Promise<void>(done => gzip.once('end', done).end());
    if (this.isGone) return;
    await new Promise<void>(done => {
      this.#response.once('close', done);
      // Calls `sent` before the event `close`, which also follows a normal end.
      this.#response.end(sent);
    });
  }

  /** Closes the connection normally, in the middle of the body. */
  async close(): Promise<void> {
    await this.#flushed();
    this.#response.socket?.end();
  }

  /** Resets the connection. */
  async reset(): Promise<void> {
    await this.#flushed();
    await this.pause(READING_MS);
    this.#rawSocket.resetAndDestroy();
  }

  #goneSignal(): AbortSignal {
    this.#gone ??= new AbortController();
    if (this.isGone) this.#gone.abort();
    return this.#gone.signal;
  }

  async #pass(bytes: Buffer): Promise<void> {
    if (this.#gzip) {
      const gzip = this.#gzip;
      await new Promise<void>(done => gzip.write(bytes, () => done()));
    } else if (!this.#response.write(bytes)) {
      await new Promise<void>(done => {
        const go = (): void => {
          this.#response.off('drain', go).off('close', go);
          done();
        };
        this.#response.once('drain', go).once('close', go);
      });
    }
  }

  /** Resolves once the kernel has accepted all bytes. */
  async #flushed(): Promise<void> {
    const { socket } = this.#response;
    if (socket === null || !this.#response.headersSent) return;
    await setImmediate();
    while (socket.writableLength > 0 && !this.isGone) await setImmediate();
  }

  #bytesOf({ event, data }: Frame): Buffer {
    const { newline = '\n', comments } = this.#script;
    const lines = [...(comments ? [': keep-alive', ''] : []), ...(event === undefined ? [] : [`event: ${event}`])];
    return Buffer.from([...lines, `data: ${data}`, '', ''].join(newline));
  }
}
