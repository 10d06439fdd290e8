import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readCreateMeta, type CreateMeta } from './create-meta.js';
import type { JiraSite } from './jira-site.js';

/** How long a project is taken to be as it was, in milliseconds. */
const LIFETIME_MS = 60_000;

const MOST = 200;

/**
 * What projects take, for about a minute, so that a thousand tickets of one connector do not ask two thousand times.
 * Kept apart by settings and secrets: what one account sees, another is not told.
 */
export class CreateMetaCache {
  private readonly entries = new LRUCache<string, { readonly until: number; readonly meta: Promise<CreateMeta> }>({
    max: MOST,
  });

  /** Those who ask at once wait for one answer. Failures are not kept. @throws JiraTroubleError, AdapterHttpError */
  of(site: JiraSite): Promise<CreateMeta> {
    const key = keyOf(site);
    const now = site.clock.now().getTime();
    const known = this.entries.get(key);
    if (known && now < known.until) return known.meta;
    const meta = readCreateMeta(site);
    this.entries.set(key, { until: now + LIFETIME_MS, meta });
    meta.catch(() => {
      if (this.entries.peek(key)?.meta === meta) this.entries.delete(key);
    });
    return meta;
  }

  /** The project is not as it was. */
  forget(site: JiraSite): void {
    this.entries.delete(keyOf(site));
  }
}

function keyOf({ settings, api, authorization }: JiraSite): string {
  return createHash('sha256')
    .update(JSON.stringify([settings, api, authorization]))
    .digest('base64');
}
