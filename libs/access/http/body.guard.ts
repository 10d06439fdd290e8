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
} from '#core';
import { decodeBody, parseBody, readBytes } from './body-bytes.js';
import { readEarly } from './early-input.js';
import { isDeeperThan } from './input.pipe.js';
import { inflated, isGzip } from './gzip-body.js';
import { setHeader, type HttpRequest, type HttpResponse } from '../request/http-request.js';
import { announcedBytesOf, unreadBodyOf } from './unread-body.js';

const BODY_RULE = 'governance:body';
const JSON_TYPE = 'application/json';
const UTF8_NAME = /^("utf-?8"|utf-?8)$/;
const MIB = 1024 * 1024;
const DEFAULT_MAX_BYTES = MIB;
/**
 * Bytes beyond the limit that are read and discarded. If the connection were closed while the client still sends, the
 * client might not receive the error response.
 */
const DRAINED_BYTES = 16 * MIB;

/** The bodies that a route accepts. */
export interface BodyRule {
  /** Maximum size in bytes. Default: 1 MiB. */
  maxBytes?: number;
  /** Content types, in addition to `application/json`, that the handler gets as {@link TextBody}. */
  textTypes?: readonly string[];
  /** Content types, in addition to `application/json`, that are parsed as JSON. */
  jsonTypes?: readonly string[];
  /** Content types, in addition to `application/json`, that the handler gets as bytes. */
  binaryTypes?: readonly string[];
  /** Accepts gzip. The limit applies to the uncompressed size. */
  gzip?: boolean;
  /** Keeps the bytes in `rawBody` of the request, because the handler needs them to check a signature. */
  keepsBytes?: boolean;
  /** A missing body is accepted. */
  optional?: boolean;
}

/** A body other than plain JSON, which the handler parses. */
export class TextBody {
  constructor(
    readonly contentType: string,
    readonly text: string,
  ) {}
}

/** Declares which bodies a route accepts. Default: JSON of at most 1 MiB. */
export function ReadsBody(rule: BodyRule): MethodDecorator {
  return SetMetadata(BODY_RULE, rule);
}

type BodyRequest = HttpRequest & { rawBody?: Buffer };

/**
 * Reads the body after the access check, so that unauthenticated callers cannot make the process read megabytes.
 * Rejects bodies that `JSON.parse` accepts silently: duplicate keys, `__proto__`, more than 1,000 keys in one object,
 * more than 32 levels. If the host has already parsed the body, its result is used. If the host also keeps the raw
 * body, these checks run on the raw body.
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
      const sent = await bytesOf(unread, response, maxBytes);
      const bytes = isCompressed ? await inflated(sent, maxBytes, () => tooLarge(maxBytes)) : sent;
      // A body parser of the host may have set `rawBody` to an empty buffer, because the body was hidden from it.
      delete request.rawBody;
      if (rule.keepsBytes) request.rawBody = bytes;
      if (bytes.length > 0) refuseOtherCharsets(request);
      request.body = bytes.length === 0 ? absent(rule) : interpret(bytes, contentType, rule);
    } else {
      if (request.body !== undefined) refuseOtherCharsets(request);
      checkParsed(request, contentType, rule, maxBytes);
    }
  }
}

/** Checks a body that the host's parser has read. The parser passes text bodies as a string. */
function checkParsed(request: BodyRequest, contentType: string, rule: BodyRule, maxBytes: number): void {
  if (request.rawBody && request.rawBody.length > maxBytes) throw tooLarge(maxBytes);
  if (typeof request.body === 'string' && contentType !== JSON_TYPE) {
    request.body = interpretText(request.body, contentType, rule);
  } else if (contentType === JSON_TYPE || contentType.endsWith('+json')) {
    if (request.rawBody) refuseDefects(decodeBody(request.rawBody));
    else if (!isDeeperThan(request.body, JSON_MAX_DEPTH) && hasWideObject(request.body))
      refuse({ kind: 'too_many_keys' });
  }
}

function mediaType(request: HttpRequest): string {
  const header = request.headers['content-type'] ?? '';
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

/** Refuses other charsets, because the body would be misread as UTF-8. */
function refuseOtherCharsets(request: HttpRequest): void {
  const [, ...parameters] = (request.headers['content-type'] ?? '').split(';');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=').map(part => part.trim().toLowerCase());
    if (name !== 'charset' || UTF8_NAME.test(value)) continue;
    throw new UnsupportedMediaTypeError('Send the body in UTF-8, with charset=utf-8 or no charset in content-type.');
  }
}

async function bytesOf(request: IncomingMessage, response: HttpResponse, maxBytes: number): Promise<Buffer> {
  // A stream that has ended emits no more events. Reading it would wait forever.
  if (request.readableEnded) return Buffer.alloc(0);
  if (announcedBytesOf(request) > DRAINED_BYTES) return hangUp(response, maxBytes);
  const onExcess = (bytes: number, reject: (error: unknown) => void): void => {
    if (bytes <= DRAINED_BYTES) return;
    request.pause().removeAllListeners('data');
    hangUp(response, maxBytes).catch(reject);
  };
  return readBytes(request, { maxBytes, tooLarge: () => tooLarge(maxBytes), onExcess });
}

async function hangUp(response: HttpResponse, maxBytes: number): Promise<never> {
  // The rest of the body stays unread, so the connection cannot be reused for another request.
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
  return interpretText(decodeBody(bytes), contentType, rule);
}

function interpretText(text: string, contentType: string, rule: BodyRule): unknown {
  if (rule.textTypes?.includes(contentType)) return new TextBody(contentType, text);
  if (contentType !== JSON_TYPE && !rule.jsonTypes?.includes(contentType)) throw wrongType(rule);
  const value = parseBody(text);
  refuseDefects(text);
  return value;
}

function wrongType(rule: BodyRule): UnsupportedMediaTypeError {
  const types = [JSON_TYPE, ...(rule.jsonTypes ?? []), ...(rule.textTypes ?? []), ...(rule.binaryTypes ?? [])];
  return new UnsupportedMediaTypeError(`Send content-type: ${types.join(' or ')}.`);
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
