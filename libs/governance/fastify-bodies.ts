import type { HttpServer } from '@nestjs/common';

// The largest body limit of all routes of this module, in bytes. The body guard enforces the limit of each route.
const MAX_BYTES = 5 * 1024 * 1024;

/** Content types that routes of this module read as text, and that Fastify refuses with 415 by default. */
const TEXT_TYPES = [
  'application/x-ndjson',
  'application/cloudevents-batch+json',
  'application/cloudevents+json',
  'application/scim+json',
  'text/csv',
  'application/x-www-form-urlencoded',
];

/** The part of Fastify's interface that this file needs. The host owns `fastify`; this package never imports it. */
interface ContentTypes {
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parse: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): unknown;
}

/**
 * Makes Fastify pass bodies as text if they are neither JSON nor forms. Keeps the host's parsers. Does nothing on
 * Express. Call it before the server listens, because Fastify accepts no parsers afterwards.
 */
export function acceptTextBodies(server: HttpServer | undefined): void {
  if (server?.getType?.() !== 'fastify') return;
  const instance: unknown = server.getInstance();
  if (!takesContentTypes(instance)) return;
  for (const type of TEXT_TYPES.filter(candidate => !instance.hasContentTypeParser(candidate))) {
    instance.addContentTypeParser(type, { parseAs: 'string', bodyLimit: MAX_BYTES }, (_request, body, done) =>
      done(null, body),
    );
  }
}

function takesContentTypes(instance: unknown): instance is ContentTypes {
  return (
    typeof instance === 'object' &&
    instance !== null &&
    'addContentTypeParser' in instance &&
    'hasContentTypeParser' in instance
  );
}
