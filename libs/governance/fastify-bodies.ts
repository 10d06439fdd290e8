import type { HttpServer } from '@nestjs/common';

// The largest body that any route of this module reads; the body guard holds each route to its own limit.
const MAX_BYTES = 5 * 1024 * 1024;

/** Content types that Fastify refuses with 415 on its own, and that routes of this module read as text. */
const TEXT_TYPES = [
  'application/x-ndjson',
  'application/cloudevents-batch+json',
  'application/cloudevents+json',
  'application/scim+json',
  'text/csv',
  'application/x-www-form-urlencoded',
];

/** What this file needs of Fastify; `fastify` itself is the host's and never imported here. */
interface ContentTypes {
  hasContentTypeParser(type: string): boolean;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'string'; bodyLimit: number },
    parse: (request: unknown, body: string, done: (error: null, body: string) => void) => void,
  ): unknown;
}

/**
 * Lets Fastify hand on, as text, the bodies that are neither JSON nor forms. Parsers of the host stay as they are; on
 * Express there is nothing to do. Call it before the server listens: afterwards Fastify takes no parsers.
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
