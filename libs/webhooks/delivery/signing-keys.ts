import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { boundedBy, SecretUnreadableError } from '#core';
import { SecretVault } from '#secrets';
import { placeOf } from '../registrations/webhook-resources.js';
import type { SigningSecrets } from '../decide/index.js';

/** Name of a state of a webhook's secrets. Each rotation increments the version. */
export interface SecretState {
  id: string;
  secret_version: number;
}

/** A webhook and its secrets, both of the same version, or the reason why the secrets cannot be read. */
export interface Keyed<State> {
  state: State;
  secrets: SigningSecrets | SecretUnreadableError;
}

type Secrets = Keyed<unknown>['secrets'];

const CACHE_SIZE = 10_000;

/**
 * The signing secrets of webhooks. Decrypted secrets are cached by version. Rewrapping does not change a secret, and so
 * does not change the version.
 */
@Injectable()
export class SigningKeys {
  private readonly known = new LRUCache<string, SigningSecrets>(boundedBy(CACHE_SIZE));

  constructor(private readonly vault: SecretVault) {}

  /**
   * Webhooks with their secrets, by id. `read` returns the current rows of the webhooks. It is called a second time
   * after secrets were decrypted, to detect a rotation that was committed meanwhile.
   */
  async of<State extends SecretState>(
    em: EntityManager,
    orgId: string,
    read: () => Promise<readonly State[]>,
  ): Promise<Map<string, Keyed<State>>> {
    const opened = new Map<string, Secrets>();
    for (;;) {
      const keyed = (await read()).map(state => ({ state, secrets: this.find(state, opened) }));
      const unknown = keyed.filter(({ secrets }) => secrets === undefined).map(({ state }) => state);
      if (unknown.length > 0) {
        const secrets = await this.open(em, orgId, unknown);
        for (const [at, state] of unknown.entries()) opened.set(nameOf(state), secrets[at] ?? unreadable(orgId, state));
        continue;
      }
      // The second read found the same version, so no rotation happened in between.
      for (const { state, secrets } of keyed) this.remember(state, secrets);
      return new Map(keyed.flatMap(({ state, secrets }) => (secrets ? [[state.id, { state, secrets }]] : [])));
    }
  }

  private find(state: SecretState, opened: ReadonlyMap<string, Secrets>): Secrets | undefined {
    return this.known.get(nameOf(state)) ?? opened.get(nameOf(state));
  }

  private async open(em: EntityManager, orgId: string, webhooks: readonly SecretState[]): Promise<Secrets[]> {
    const places = webhooks.flatMap(({ id }) => [
      placeOf({ orgId, id }, 'signing_secret'),
      placeOf({ orgId, id }, 'previous_signing_secret'),
    ]);
    const secrets = await this.vault.getMany(em, places);
    return webhooks.map((webhook, at) => {
      const [current, previous] = secrets.slice(at * 2);
      if (typeof current !== 'string') return current ?? unreadable(orgId, webhook);
      return { current, ...(typeof previous === 'string' ? { previous } : {}) };
    });
  }

  private remember(state: SecretState, secrets: Secrets | undefined): void {
    if (secrets === undefined || secrets instanceof SecretUnreadableError) return;
    this.known.set(nameOf(state), secrets);
  }
}

function unreadable(orgId: string, { id }: SecretState): SecretUnreadableError {
  return new SecretUnreadableError(placeOf({ orgId, id }, 'signing_secret'), 'it is missing');
}

function nameOf({ id, secret_version: version }: SecretState): string {
  return `${id} ${version}`;
}
