import { rootAddressOf, type HttpRequest } from '#access';

const ROOT = '/scim/v2';

/** The URL of the SCIM service as the caller reached it, for `meta.location`. */
export function scimAddressOf(request: HttpRequest): string {
  return rootAddressOf(request, ROOT) + ROOT;
}
