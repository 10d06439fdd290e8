import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { leaveUnread } from '#access';

/** Routes that strangers may call, as they end behind whatever path the host has put before them. */
const OPEN = /\/v1\/integrations\/(itsm\/webhook\/:org_id|:platform\/commands)\/?$/;

type Payload = Readable & { receivedEncodedLength?: number };

type Hook = (
  request: { raw: IncomingMessage },
  reply: unknown,
  payload: Payload,
  done: (error: null, payload: Payload) => void,
) => void;

/** What this file needs of Fastify; `fastify` itself is the host's and never imported here. */
interface Routes {
  addHook(name: 'onRoute', hook: (route: { url: string; bodyLimit?: number; preParsing?: unknown }) => void): unknown;
}

/**
 * Keeps Fastify from reading what strangers send before anybody knows who they are: the body guard reads it, byte for
 * byte, when they have been let in and up to the route's own limit. On Express there is nothing to do. Call it before the
 * routes are there.
 */
export function leaveOpenBodies(server: HttpServer | undefined): void {
  if (server?.getType?.() !== 'fastify') return;
  const instance: unknown = server.getInstance();
  if (!takesHooks(instance)) return;
  instance.addHook('onRoute', route => {
    if (!OPEN.test(route.url)) return;
    // The body guard's answer is the one that is counted.
    route.bodyLimit = Number.MAX_SAFE_INTEGER;
    route.preParsing = leave;
  });
}

const leave: Hook = ({ raw }, _reply, _payload, done) => {
  leaveUnread(raw);
  // Any parser can read that; of the length that was announced, as parsers check.
  const nothing: Payload = Readable.from([Buffer.from('{}')]);
  const announced = Number(raw.headers['content-length'] ?? NaN);
  if (!Number.isNaN(announced)) nothing.receivedEncodedLength = announced;
  done(null, nothing);
};

function takesHooks(instance: unknown): instance is Routes {
  return typeof instance === 'object' && instance !== null && 'addHook' in instance;
}
