import type { JsonObject } from '#core';

/** Whether a text is an address as `new URL` reads it, spelled without blanks, control characters and backslashes. */
export function isUrl(text: string): boolean {
  return !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text);
}

/** Options of a URL setting. */
export interface UrlSetting {
  readonly title: string;
  readonly description?: string;
  /** Whether a path may follow the host. Default: no. */
  readonly path?: boolean;
}

/**
 * The schema of a setting that is the `https:` address of a platform: a host with or without a port, never credentials,
 * a query or a fragment. What fits it, `new URL` takes.
 */
export function urlSetting({ title, description, path = false }: UrlSetting): JsonObject {
  return {
    type: 'string',
    title,
    ...(description !== undefined && { description }),
    format: 'uri',
    pattern: path ? String.raw`^https://[^/?#@\s\\]+(/[^?#@\s\\]*)?$` : String.raw`^https://[^/?#@\s\\]+/?$`,
    maxLength: 500,
  };
}
