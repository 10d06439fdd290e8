import { rootAddressOf, type HttpRequest } from '#access';

const ROOT = '/scim/v2';

/** The URL at which the caller reached the SCIM service, for `meta.location`. */
export function scimAddressOf(request: HttpRequest): string {
  return rootAddressOf(request, ROOT) + ROOT;
}
