import type { OpenApiDocument, Route } from '../../../scripts/client/openapi.js';
import { routesOf } from '../../../scripts/client/openapi.js';
import type { Answer } from '../../support/test-app.js';

/** A request and its answer. */
export interface Exchange {
  operationId: string;
  status: number;
  /** The answer's headers and body. */
  text: string;
}

/** Options of a request. */
export interface Sending {
  body?: unknown;
  type?: string;
  headers?: Record<string, string>;
  /** The credential. Default: the credential of this object. Null: no credential. */
  as?: string | null;
}

/** Sends requests to an app, and stores all answers by operation. */
export class Traffic {
  readonly exchanges: Exchange[] = [];
  readonly routes: readonly Route[];
  private readonly patterns: readonly [method: string, path: RegExp, operationId: string][];

  constructor(
    private readonly url: string,
    private readonly bearer: string,
    document: OpenApiDocument,
  ) {
    this.routes = routesOf(document);
    // Names come before parameters, so that /devices/crl does not match the device "crl".
    const ordered = this.routes.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
    this.patterns = ordered.map(({ method, path, operation }) => [
      method,
      new RegExp(
        `^${path
          .replaceAll('.', String.raw`\.`)
          .replaceAll('{path}', '.+')
          .replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
      operation.operationId ?? '',
    ]);
  }

  /** Sends a request. Objects are sent as JSON, texts unchanged. */
  async send(
    method: string,
    path: string,
    { body, type, headers = {}, as = this.bearer }: Sending = {},
  ): Promise<Answer> {
    const isText = typeof body === 'string';
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const text = isStream ? await firstOf(response) : await response.text();
    this.exchanges.push({
      operationId: this.operationAt(method, path),
      status: response.status,
      text: `${JSON.stringify([...response.headers])}\n${text}`,
    });
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  /** Sends a request that must succeed. Returns its body. */
  async do(method: string, path: string, body?: unknown, more: Sending = {}): Promise<Answer['body']> {
    const answer = await this.send(method, path, { ...(body === undefined ? {} : { body }), ...more });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  private operationAt(method: string, path: string): string {
    const [bare = ''] = path.split('?');
    return this.patterns.find(([verb, pattern]) => verb === method && pattern.test(bare))?.[2] ?? `${method} ${bare}`;
  }
}

/** The first events of a stream. */
async function firstOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const first = await Promise.race([
    reader?.read(),
    new Promise<undefined>(done => {
      setTimeout(() => done(undefined), 500);
    }),
  ]);
  await reader?.cancel();
  return Buffer.from(first?.value ?? new Uint8Array()).toString();
}
