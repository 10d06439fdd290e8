import { createServer } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '#core';
import type { AdapterHttp, AdapterRequest } from '#itsm';

/** How to serve a double. */
export interface ServedDouble {
  /** The origin that the double answers for, such as `https://acme.example`. */
  readonly origin: string;
  /** Private key and certificate in PEM. The certificate is for `127.0.0.1`. */
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  /** Default: a free port. */
  readonly port?: number;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH'] as const;

/**
 * Serves the double of a platform over HTTPS at 127.0.0.1, to try an adapter in a host. If the double throws, the
 * connection ends without an answer.
 */
export async function serveDouble(
  http: AdapterHttp,
  { origin, key, cert, port = 0 }: ServedDouble,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const answer = async (): Promise<void> => {
      const chunks: Buffer[] = [];
      // Without an encoding, the chunks of a request are buffers.
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const method = METHODS.find(each => each === incoming.method);
      if (!method) return void outgoing.writeHead(405).end();
      const url = origin + (incoming.url ?? '/');
      const headers = textsOf(incoming.headers);
      const body = bodyOf(headers['content-type'] ?? '', Buffer.concat(chunks).toString());
      const response = await http.request({ method, url, headers, ...body });
      outgoing.writeHead(response.status, response.headers).end(response.body);
    };
    answer().catch(() => outgoing.destroy());
  });
  await new Promise<void>((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  // `address()` returns a string only for a server on a pipe.
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${bound}`,
    close: async () => {
      const closed = new Promise<void>(done => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function textsOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function bodyOf(type: string, text: string): Pick<AdapterRequest, 'json' | 'form'> {
  if (text === '') return {};
  if (type.startsWith('application/x-www-form-urlencoded')) {
    return { form: Object.fromEntries(new URLSearchParams(text)) };
  }
  // JSON.parse returns JSON.
  return { json: JSON.parse(text) as Json };
}
