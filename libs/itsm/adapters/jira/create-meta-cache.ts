import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readCreateMeta, type CreateMeta } from './create-meta.js';
import type { JiraSite } from './jira-site.js';

/** Milliseconds for which an entry is valid. */
const LIFETIME_MS = 60_000;

const MOST = 200;

/**
 * Caches the create metadata of projects for about a minute, so that it is not read again for each ticket of a burst.
 * The key contains settings and secrets: one account must not get metadata that only another account may see.
 */
export class CreateMetaCache {
  private readonly entries = new LRUCache<string, { readonly until: number; readonly meta: Promise<CreateMeta> }>({
    max: MOST,
  });

  /**
   * Returns the metadata of a project. Concurrent callers share one request. Failures are not cached.
   * @throws JiraFailureError, AdapterHttpError
   */
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

  /** Removes the entry of a project that has changed. */
  forget(site: JiraSite): void {
    this.entries.delete(keyOf(site));
  }
}

function keyOf({ settings, api, authorization }: JiraSite): string {
  return createHash('sha256')
    .update(JSON.stringify([settings, api, authorization]))
    .digest('base64');
}
