import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError } from '#core';
import { SecretVault } from '#secrets';
import { placeOf } from '../registrations/webhook.belongings.js';
import type { SigningSecrets } from './decide/index.js';

/** What tells one state of a webhook's secrets from another. */
export interface SecretState {
  id: string;
  secretVersion: number;
  previousSecretUntil: Date | null;
}

const REMEMBERED = 10_000;

/**
 * The secrets that sign, by webhook. Opened secrets are remembered by their version, which grows with each rotation;
 * rewrapping leaves the secret as it is.
 */
@Injectable()
export class SigningKeys {
  private readonly opened = new Map<string, SigningSecrets>();

  constructor(private readonly vault: SecretVault) {}

  /** The secrets of webhooks, or what keeps them from being read, in the same order. */
  async of(
    em: EntityManager,
    orgId: string,
    webhooks: readonly SecretState[],
  ): Promise<(SigningSecrets | SecretUnreadableError)[]> {
    const unknown = webhooks.filter(webhook => !this.opened.has(nameOf(webhook)));
    const places = unknown.flatMap(({ id }) => [
      placeOf({ orgId, id }, 'signing_secret'),
      placeOf({ orgId, id }, 'previous_signing_secret'),
    ]);
    const secrets = await this.vault.getMany(em, places);
    const failed = new Map<string, SecretUnreadableError>();
    for (const [at, webhook] of unknown.entries()) {
      const [current, previous] = secrets.slice(at * 2);
      if (typeof current === 'string') {
        this.remember(nameOf(webhook), { current, ...(typeof previous === 'string' ? { previous } : {}) });
      } else {
        const missing = new SecretUnreadableError(
          placeOf({ orgId, id: webhook.id }, 'signing_secret'),
          'it is missing',
        );
        failed.set(webhook.id, current ?? missing);
      }
    }
    return webhooks.map(webhook => {
      const found = this.opened.get(nameOf(webhook));
      return (
        found ??
        failed.get(webhook.id) ??
        new SecretUnreadableError(placeOf({ orgId, id: webhook.id }, 'signing_secret'), 'it is missing')
      );
    });
  }

  private remember(name: string, secrets: SigningSecrets): void {
    const [oldest] = this.opened.keys();
    if (this.opened.size >= REMEMBERED && oldest !== undefined) this.opened.delete(oldest);
    this.opened.set(name, secrets);
  }
}

function nameOf({ id, secretVersion }: SecretState): string {
  return `${id} ${secretVersion}`;
}
