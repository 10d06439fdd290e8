// All these tests are in one file, because they use the same controllers. The controllers have every kind of route, and
// are mounted once for each body parser that a host may have.
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Get, Post } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { startAccessReplica } from '../testing/access-replica.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-postgres.js';
import type { Actor } from '../principals/principal.js';
import { OrganizationService } from '../organizations/organization.service.js';
import { TokenService } from '../tokens/token.service.js';
import { ReadsBody, TextBody } from './body.guard.js';
import { CheckedField, TextField } from './field.decorators.js';
import { CurrentActor, CurrentVisitor, GovernanceController, Open, Requires } from './routes.decorators.js';
import type { Visitor } from './visitor.js';

class NoteDto {
  @TextField({ max: 10 })
  name!: string;

  @CheckedField({ optional: true }, { type: 'object', additionalProperties: true }, () => undefined)
  free?: unknown;
}

@GovernanceController('probe', 'Probe')
class ProbeController {
  @Post('json')
  @Requires('organization:read')
  json(@Body() body: NoteDto): object {
    return { name: body.name, free: body.free ?? null };
  }

  @Post('text')
  @Requires('organization:read')
  @ReadsBody({ maxBytes: 64, textTypes: ['text/csv', 'text/plain'] })
  text(@Body() body: unknown): object {
    return body instanceof TextBody ? { type: body.contentType, text: body.text } : { parsed: body };
  }

  @Post('optional')
  @Requires('organization:read')
  @ReadsBody({ optional: true })
  optional(@Body() body: unknown): object {
    return { parsed: body };
  }

  @Get('actor')
  @Requires('organization:read')
  actor(@CurrentActor() actor: Actor): object {
    return { address: actor.address, request_id: actor.requestId, kind: actor.kind };
  }

  @Post('open')
  @Open()
  open(@CurrentVisitor() visitor: Visitor, @Body() body: NoteDto): object {
    return { address: visitor.address, request_id: visitor.requestId, name: body.name };
  }

  @Get('open-to-no-actor')
  @Open()
  noActor(@CurrentActor() actor: Actor): object {
    return { kind: actor.kind };
  }

  @Get('closed')
  closed(): string {
    return 'must never be seen';
  }

  @Get('broken')
  @Requires('organization:read')
  broken(): never {
    throw new Error('secret cause');
  }
}

const PLATFORMS = [
  { name: 'Express without a body parser', platform: 'express', parser: false },
  { name: 'Express with its body parser', platform: 'express', parser: true },
  { name: 'Fastify', platform: 'fastify', parser: true },
] as const;

/** The tests of the probe's routes on one of the platforms. */
function probe(platform: 'express' | 'fastify', parser: boolean) {
  let database: TestDatabase;
  let replica: Awaited<ReturnType<typeof startAccessReplica>>;
  let token: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    replica = await startAccessReplica(database, {
      controllers: [ProbeController],
      ...(platform === 'fastify' ? { adapter: new FastifyAdapter() } : {}),
      clock: new ManualClock(),
      access: { trustedProxies: ['127.0.0.0/8'] },
      nest: { bodyParser: parser, rawBody: parser },
    });
    const { id } = await replica.app.get(OrganizationService).create('Probe');
    ({ token } = await replica.app.get(TokenService).issue(id, { name: 'x', role: 'admin' }));
  });

  afterAll(async () => {
    await replica.close();
    await database.drop();
  });

  return {
    url: () => replica.url,
    token: () => token,
    async ask(path: string, body?: string, headers: Record<string, string> = {}) {
      const response = await fetch(`${replica.url}/probe/${path}`, {
        method: body === undefined && !('x-post' in headers) ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
      });
      // Every answer of the probe is a JSON object.
      const answer = (await response.json()) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, body: answer };
    },
  };
}

describe.each(PLATFORMS)('routes on $name', ({ platform, parser }) => {
  const { ask, url, token } = probe(platform, parser);

  it('read JSON', async () => {
    const free = { constructor: { a: 1 }, n: [null, 1.5] };
    const { status, body } = await ask('json', JSON.stringify({ name: 'ä🙂', free }));
    expect([status, body]).toEqual([201, { name: 'ä🙂', free }]);
  });

  it.each([
    ['a missing field', '{}', 'name'],
    ['a repeated key', '{"name":"a","name":"b"}', 'twice'],
    ['a repeated key, deeply nested', '{"name":"a","free":{"b":[{"c":1,"\\u0063":2}]}}', 'twice'],
    ['__proto__', '{"name":"a","free":{"__proto__":{"x":1}}}', '__proto__'],
    ['33 levels', `{"name":"a","free":${'['.repeat(32)}${']'.repeat(32)}}`, '32'],
    ['broken JSON', '{"name":', 'JSON'],
    ['a JSON text', '"text"', 'must be a JSON object'],
    ['a JSON array', '[]', 'object'],
  ])('refuse %s with 400', async (_what, body, named) => {
    const answer = await ask('json', body);
    expect(answer.status).toBe(400);
    // The host's body parser refuses the body with the host's own error, before this library is called.
    if (answer.body.request_id === undefined && parser) return;
    expect(answer.body).toMatchObject({ error: 'bad_request', message: expect.stringContaining(named) });
  });

  it('refuse another charset with 415', async () => {
    const { status } = await ask('json', '{"name":"a"}', { 'content-type': 'application/json; charset=iso-8859-1' });
    expect(status).toBe(415);
  });

  it('refuse a missing body with 400', async () => {
    const response = await fetch(`${url()}/probe/json`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token()}` },
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'bad_request' }]);
  });

  it('have the caller and the request id, which the caller may set', async () => {
    const { headers, body } = await ask('actor', undefined, {
      'x-request-id': 'my-own-id-1',
      'x-forwarded-for': 'spoofed, 203.0.113.7, 127.0.0.9',
    });
    expect(body).toEqual({ address: '203.0.113.7', request_id: 'my-own-id-1', kind: 'token' });
    expect(headers.get('x-request-id')).toBe('my-own-id-1');
  });

  it('ignore an invalid forwarded address and a malformed request id', async () => {
    const { body } = await ask('actor', undefined, { 'x-request-id': 'a b', 'x-forwarded-for': '<script>' });
    expect(body).toMatchObject({ address: null, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('ignore tokens if they are public, and read the body like others', async () => {
    const stranger = {
      authorization: 'Bearer nonsense',
      'x-forwarded-for': '203.0.113.7',
      'x-request-id': 'my-own-id-1',
    };
    const { status, body } = await ask('open', '{"name":"a"}', stranger);
    expect([status, body]).toEqual([201, { address: '203.0.113.7', request_id: 'my-own-id-1', name: 'a' }]);
    expect((await ask('open', '{"nome":"a"}', stranger)).status).toBe(400);
  });

  it('have no actor if they are public', async () => {
    expect((await ask('open-to-no-actor')).status).toBe(500);
  });

  it('refuse every request if they declare no scope', async () => {
    const { status, body } = await ask('closed');
    expect([status, body]).toEqual([403, expect.objectContaining({ error: 'forbidden' })]);
  });

  it('answer an unknown failure with 500 and without its cause', async () => {
    const { status, body } = await ask('broken');
    expect([status, body.error]).toEqual([500, 'internal']);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});

describe('routes that read their bodies themselves', () => {
  const { ask, url, token } = probe('express', false);

  it('read text if they declare it', async () => {
    const { body } = await ask('text', 'a,b\n1,2', { 'content-type': 'text/csv; charset=utf-8' });
    expect(body).toEqual({ type: 'text/csv', text: 'a,b\n1,2' });
    expect((await ask('text', '{"a":1}')).body).toEqual({ parsed: { a: 1 } });
    expect((await ask('text', '')).status).toBe(201);
  });

  it.each([
    ['another content type', 'json', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text on a JSON route', 'json', 'hello', { 'content-type': 'text/plain' }],
    ['a content type that is not listed', 'text', '<a/>', { 'content-type': 'text/xml' }],
    ['JSON in another charset', 'json', '{"name":"a"}', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['text in another charset', 'text', 'a', { 'content-type': 'text/csv; header=present; charset="UTF-16"' }],
    ['compressed bodies', 'json', 'x', { 'content-encoding': 'gzip' }],
  ])('refuse %s with 415', async (_what, path, body, headers) => {
    const answer = await ask(path, body, headers);
    expect([answer.status, answer.body.error]).toEqual([415, 'unsupported_media_type']);
  });

  it.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8'])('accept charset=%s', async charset => {
    const headers = { 'content-type': `application/json; charset=${charset}` };
    expect((await ask('json', '{"name":"a"}', headers)).status).toBe(201);
  });

  it('refuse invalid UTF-8 with 400', async () => {
    const response = await fetch(`${url()}/probe/json`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: expect.stringContaining('UTF-8') },
    ]);
  });

  it('accept a missing body if it is optional', async () => {
    const { status, body } = await ask('optional', undefined, { 'x-post': '1' });
    expect([status, body]).toEqual([201, { parsed: {} }]);
  });

  /** Sends megabytes of data without waiting for the answer. */
  async function sendMegabytes(count: number, headers: Record<string, string>) {
    return new Promise<{ status: number | undefined; connection: string | undefined; text: string }>(
      (resolve, reject) => {
        const all = { authorization: `Bearer ${token()}`, 'content-type': 'application/json', ...headers };
        const outgoing = httpRequest(`${url()}/probe/json`, { method: 'POST', headers: all }, response => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () =>
            resolve({ status: response.statusCode, connection: response.headers.connection, text }),
          );
        });
        outgoing.on('error', reject);
        for (let n = 0; n < count; n++) outgoing.write('x'.repeat(1024 * 1024));
        outgoing.end();
      },
    );
  }

  it.each([
    ['with a content-length', { 'content-length': String(3 * 1024 * 1024) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('answer 413 to a body that is too large, sent %s, and keep the connection open', async (_how, headers) => {
    const answer = await sendMegabytes(3, headers);
    expect(answer).toMatchObject({ status: 413, connection: 'keep-alive' });
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'payload_too_large' });
  });

  it('answer 413 to an endless body and close the connection', async () => {
    expect(await sendMegabytes(18, { 'transfer-encoding': 'chunked' })).toMatchObject({
      status: 413,
      connection: 'close',
    });
  });

  it('do not read the body of an unauthenticated request', async () => {
    const { port } = new URL(url());
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      'POST /probe/json HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nContent-Type: application/json\r\n\r\n',
    );
    const [first] = await new Promise<Buffer[]>(resolve => socket.once('data', data => resolve([data])));
    socket.destroy();
    expect(first?.toString()).toMatch(/^HTTP\/1\.1 401/);
  });
});
