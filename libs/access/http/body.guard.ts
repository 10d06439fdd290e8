import type { IncomingMessage } from 'node:http';
import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  BadRequestError,
  hasWideObject,
  inspectJson,
  type JsonDefect,
  JSON_MAX_DEPTH,
  JSON_MAX_KEYS,
  PayloadTooLargeError,
  UnsupportedMediaTypeError,
  messageOf,
} from '#core';
import { readEarly } from './early-input.js';
import { isDeeperThan } from './input.pipe.js';
import { inflated, isGzip } from './gzip-body.js';
import { setHeader, type HttpRequest, type HttpResponse } from '../request/http-request.js';
import { announcedBytesOf, unreadBodyOf } from './unread-body.js';

const BODY_RULE = 'governance:body';
const JSON_TYPE = 'application/json';
const UTF8_NAME = /^("utf-?8"|utf-?8)$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const MIB = 1024 * 1024;
const DEFAULT_MAX_BYTES = MIB;
/** What is read and thrown away of a body that is too large, so that its sender hears the answer. */
const DRAINED_BYTES = 16 * MIB;

/** Which bodies a route reads. */
export interface BodyRule {
  /** Largest body in bytes. Default: 1 MiB. */
  maxBytes?: number;
  /** Content types that the handler gets as {@link TextBody} besides `application/json`. */
  textTypes?: readonly string[];
  /** Content types that are read as JSON besides `application/json`. */
  jsonTypes?: readonly string[];
  /** Content types that the handler gets as bytes besides `application/json`. */
  binaryTypes?: readonly string[];
  /** Bodies may be compressed with gzip; the limit holds for what they become. */
  gzip?: boolean;
  /** The body may be missing. */
  optional?: boolean;
}

/** A body that is not plain JSON, left to the handler. */
export class TextBody {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** States which bodies a route reads; without it: JSON of at most 1 MiB. */
export function ReadsBody(rule: BodyRule): MethodDecorator {
  return SetMetadata(BODY_RULE, rule);
}

type BodyRequest = HttpRequest & { rawBody?: Buffer };

/**
 * Reads the body after the caller has been let in, so that strangers cannot make the process read megabytes, and
 * refuses what `JSON.parse` would swallow: keys that stand twice, `__proto__`, more than 1,000 keys in one object, more than
 * 32 levels. Where the host has
 * parsed the body already, the host's result is used and, if the host keeps the raw body, checked.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BodyRequest>();
    if (request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'DELETE') {
      await this.readBody(request, context);
    }
    readEarly(request, context.getClass(), context.getHandler());
    return true;
  }

  private async readBody(request: BodyRequest, context: ExecutionContext): Promise<void> {
    const rule = this.reflector.get<BodyRule | undefined>(BODY_RULE, context.getHandler()) ?? {};
    const contentType = mediaType(request);
    const maxBytes = rule.maxBytes ?? DEFAULT_MAX_BYTES;
    const unread = unreadBodyOf(request);
    if (unread) {
      const response = context.switchToHttp().getResponse<HttpResponse>();
      const isCompressed = isGzip(request.headers['content-encoding'], rule.gzip);
      const sent = await readBytes(unread, response, maxBytes);
      const bytes = isCompressed ? await inflated(sent, maxBytes, () => tooLarge(maxBytes)) : sent;
      // What the host's parser was given in its place.
      delete request.rawBody;
      if (bytes.length > 0) refuseOtherCharsets(request);
      request.body = bytes.length === 0 ? absent(rule) : interpret(bytes, contentType, rule);
    } else {
      if (request.body !== undefined) refuseOtherCharsets(request);
      checkParsed(request, contentType, rule, maxBytes);
    }
  }
}

/** What the host's own parser has read. Strings are its way to hand out text. */
function checkParsed(request: BodyRequest, contentType: string, rule: BodyRule, maxBytes: number): void {
  if (request.rawBody && request.rawBody.length > maxBytes) throw tooLarge(maxBytes);
  if (typeof request.body === 'string' && contentType !== JSON_TYPE) {
    request.body = interpretText(request.body, contentType, rule);
  } else if (contentType === JSON_TYPE || contentType.endsWith('+json')) {
    if (request.rawBody) refuseDefects(decode(request.rawBody));
    else if (!isDeeperThan(request.body, JSON_MAX_DEPTH) && hasWideObject(request.body))
      refuse({ kind: 'too_many_keys' });
  }
}

function mediaType(request: HttpRequest): string {
  const header = request.headers['content-type'] ?? '';
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

/** Read as UTF-8, a body in another charset would be accepted with other characters than were meant. */
function refuseOtherCharsets(request: HttpRequest): void {
  const [, ...parameters] = (request.headers['content-type'] ?? '').split(';');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map(part => part.trim().toLowerCase());
    if (name !== 'charset' || UTF8_NAME.test(value)) continue;
    throw new UnsupportedMediaTypeError('Send the body in UTF-8, with charset=utf-8 or no charset in content-type.');
  }
}

function readBytes(request: IncomingMessage, response: HttpResponse, maxBytes: number): Promise<Buffer> {
  // Nothing more is told of it.
  if (request.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (announcedBytesOf(request) > DRAINED_BYTES) return hangUp(response, maxBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // Plain events: an async iterator over so short a stream costs more than everything else done with it.
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size <= DRAINED_BYTES) return;
      request.pause().removeAllListeners('data');
      hangUp(response, maxBytes).catch(reject);
    });
    request.once('end', () => {
      if (size > maxBytes) reject(tooLarge(maxBytes));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    const incomplete = (): void => {
      // Every request closes in the end; the error is made only for one that did so too early.
      if (!request.readableEnded) reject(new BadRequestError('The body ended before it was complete.'));
    };
    request.once('error', incomplete);
    request.once('close', incomplete);
  });
}

async function hangUp(response: HttpResponse, maxBytes: number): Promise<never> {
  // What is still on its way is not read; the connection cannot be used again.
  setHeader(response, 'Connection', 'close');
  throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): PayloadTooLargeError {
  if (maxBytes < MIB) return new PayloadTooLargeError(`The body may be at most ${maxBytes / 1024} KiB.`);
  return new PayloadTooLargeError(`The body may be at most ${maxBytes / MIB} MiB; split it.`);
}

function absent(rule: BodyRule): unknown {
  return rule.optional ? {} : undefined;
}

function interpret(bytes: Buffer, contentType: string, rule: BodyRule): unknown {
  if (rule.binaryTypes?.includes(contentType)) return bytes;
  return interpretText(decode(bytes), contentType, rule);
}

function interpretText(text: string, contentType: string, rule: BodyRule): unknown {
  if (rule.textTypes?.includes(contentType)) return new TextBody(contentType, text);
  if (contentType !== JSON_TYPE && !rule.jsonTypes?.includes(contentType)) throw wrongType(rule);
  const value = parse(text);
  refuseDefects(text);
  return value;
}

function wrongType(rule: BodyRule): UnsupportedMediaTypeError {
  const types = [JSON_TYPE, ...(rule.jsonTypes ?? []), ...(rule.textTypes ?? []), ...(rule.binaryTypes ?? [])];
  return new UnsupportedMediaTypeError(`Send content-type: ${types.join(' or ')}.`);
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new BadRequestError('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequestError(`The body is not valid JSON: ${messageOf(error)}.`);
  }
}

function refuseDefects(text: string): void {
  const defect = inspectJson(text);
  if (defect) refuse(defect);
}

function refuse(defect: JsonDefect): never {
  throw new BadRequestError(`The body is refused: ${explain(defect)}.`);
}

function explain(defect: JsonDefect): string {
  switch (defect.kind) {
    case 'too_deep':
      return `it nests deeper than ${JSON_MAX_DEPTH} levels`;
    case 'too_many_keys':
      return `an object in it has more than ${JSON_MAX_KEYS} keys`;
    case 'duplicate_key':
      return `the key ${JSON.stringify(defect.key.slice(0, 100))} stands twice in one object`;
    case 'forbidden_key':
      return `${defect.key} is not allowed as a key`;
  }
}
