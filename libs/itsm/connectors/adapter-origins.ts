import type { JsonObject } from '#core';
import type { ItsmAdapter } from '../adapter/itsm-adapter.port.js';

/**
 * The origins to which a connector with these settings sends requests. Undefined if the adapter finds none. Never
 * throws.
 */
export function originsOf(adapter: ItsmAdapter, settings: JsonObject): readonly string[] | undefined {
  try {
    const origins = adapter.origins(settings);
    return origins.length > 0 && origins.every(isOrigin) ? origins : undefined;
  } catch {
    return undefined;
  }
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.origin === text;
}
