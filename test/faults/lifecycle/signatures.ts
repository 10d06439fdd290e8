import { Webhook } from 'standardwebhooks';
import { serviceSignature } from '../../../libs/webhooks/decide/index.js';
import type { BegunPost } from './replicas.js';

/** The secrets that signed a POST, by all of its headers. Throws for a wrong signature. */
export function signersOf(post: Pick<BegunPost, 'headers' | 'body'>, secrets: readonly string[]): Signers {
  const { headers, body } = post;
  const current = secretOf(headers['X-Service-Signature'], body, secrets);
  const previous = secretOf(headers['X-Service-Signature-Previous'], body, secrets);
  for (const secret of [current, previous]) if (secret !== undefined) new Webhook(secret).verify(body, headers);
  return { current, previous };
}

/** The secrets of the signatures. Undefined if none of the known secrets made the signature. */
export interface Signers {
  current: string | undefined;
  previous: string | undefined;
}

function secretOf(signature: string | undefined, body: Buffer, secrets: readonly string[]): string | undefined {
  return secrets.find(secret => serviceSignature(secret, body) === signature);
}
