import type { PlatformAnswer } from 'nest-llm-governance/testing';
import type { PlatformRequest } from '../../support/itsm/platform-endpoint.js';
import { failure } from './errors.js';

/** The newest released version, and the newest version including previews. */
const RELEASED = 7.1;
const LATEST = 7.2;

const PATCH_TYPE = 'application/json-patch+json';

/**
 * Every request states the version of the API, in its query or its `Accept` header
 * (https://learn.microsoft.com/azure/devops/integrate/concepts/rest-api-versioning). Comments are in preview
 * (https://learn.microsoft.com/rest/api/azure/devops/wit/comments/add-comment).
 */
export function versionFailure({ method, url, headers }: PlatformRequest, path: string): PlatformAnswer | undefined {
  const accepted = /api-version=([^;\s]+)/.exec(headers.accept ?? '')?.[1];
  const version = url.searchParams.get('api-version') ?? accepted;
  if (version === undefined) {
    const message = `No api-version was supplied for the "${method}" request. The version must be supplied either as part of the Accept header (e.g. "application/json; api-version=1.0") or as a query parameter (e.g. "?api-version=1.0").`;
    return failure(400, 'VssVersionNotSpecifiedException', message);
  }
  const [, number, preview] = /^(\d+\.\d+)(-preview(?:\.\d+)?)?$/.exec(version) ?? [];
  if (number === undefined) {
    return failure(400, 'VssInvalidApiResourceVersionException', `The api-version '${version}' is not valid.`);
  }
  if (Number(number) > LATEST) {
    const message = `The requested REST API version of ${number} is out of range for this server. The latest REST API version this server supports is ${LATEST}.`;
    return failure(400, 'VssVersionOutOfRangeException', message);
  }
  const isPreview = Number(number) > RELEASED || path.toLowerCase().endsWith('/comments');
  if (!isPreview || preview !== undefined) return undefined;
  const message = `The requested version "${number}" of the resource is under preview. The -preview flag must be supplied in the api-version for such requests. For example: "${number}-preview"`;
  return failure(400, 'VssInvalidPreviewVersionException', message);
}

/** Work items are written only with JSON Patch (error text: restsharp/RestSharp #1413). */
export function typeFailure({ method, headers }: PlatformRequest): PlatformAnswer | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
  if (type === PATCH_TYPE) return undefined;
  const message = `The request indicated a Content-Type of "${type}" for method type "${method}" which is not supported. Valid content types for this method are: ${PATCH_TYPE}.`;
  return failure(400, 'VssRequestContentTypeNotSupportedException', message);
}
