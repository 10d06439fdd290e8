import { setHeader, type HttpResponse } from '#access';
import type { JsonObject } from '#core';
import { project, type Projection } from '../protocol/projection.js';
import { LIST_URN } from '../protocol/urns.js';
import { isSameVersion } from '../protocol/version.js';

/**
 * Returns the body that shows a resource. Sets the header `ETag` to its version and, if the resource is new, the header
 * `Location` to its URL.
 */
export function resourceAnswer(
  response: HttpResponse,
  resource: JsonObject,
  projection: Projection = {},
  { isNew = false }: { isNew?: boolean } = {},
): JsonObject {
  const { version, location } = metaOf(resource);
  setHeader(response, 'ETag', version);
  if (isNew) setHeader(response, 'Location', location);
  return project(projection, resource);
}

/**
 * Whether the caller already has this version of the resource (`If-None-Match`). If so, the answer is 304 without a
 * body.
 */
export function isKnown(response: HttpResponse, resource: JsonObject, ifNoneMatch: string | undefined): boolean {
  const { version } = metaOf(resource);
  if (ifNoneMatch === undefined || !isSameVersion(ifNoneMatch, version)) return false;
  setHeader(response, 'ETag', version);
  setStatus(response, 304);
  return true;
}

/** Sets a status other than the route's default, on Express and Fastify. */
export function setStatus(response: HttpResponse, status: number): void {
  if ('status' in response) response.status(status);
  else response.statusCode = status;
}

/** One page of a list (RFC 7644, section 3.4.2). */
export function listAnswer(resources: readonly JsonObject[], totalResults: number, startIndex = 1): JsonObject {
  return {
    schemas: [LIST_URN],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

function metaOf(resource: JsonObject): { version: string; location: string } {
  // The presenters of this library always set both fields.
  return resource['meta'] as { version: string; location: string };
}
