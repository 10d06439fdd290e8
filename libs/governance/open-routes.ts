import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import type { HttpServer } from '@nestjs/common';
import { hideBody, leaveUnread } from '#access';

/** Routes that strangers may call, as they end behind whatever path the host has put before them. */
const OPEN_ROUTE = /\/v1\/integrations\/(itsm\/webhook\/:org_id|:platform\/commands)\/?$/;
/** Their addresses, with everything that Express takes for them: it does not tell capital letters apart. */
const OPEN_PATH = /\/v1\/integrations\/(itsm\/webhook\/[^/]+|[^/]+\/commands)\/?$/i;

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
 * Keeps the host's parsers from reading what strangers send before anybody knows who they are: the body guard reads it,
 * byte for byte, when they have been let in and up to the route's own limit. Call it before the routes and the host's
 * parsers are there; on Express what stands before it reads all the same.
 */
export function leaveOpenBodies(server: HttpServer | undefined): void {
  const platform = server?.getType?.();
  if (platform === 'express') server?.use(hide);
  if (platform === 'fastify') leaveOnFastify(server?.getInstance());
}

function hide(request: IncomingMessage & { path: string }, _response: unknown, next: () => void): void {
  if (OPEN_PATH.test(request.path)) hideBody(request);
  next();
}

function leaveOnFastify(instance: unknown): void {
  if (!takesHooks(instance)) return;
  instance.addHook('onRoute', route => {
    if (!OPEN_ROUTE.test(route.url)) return;
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
