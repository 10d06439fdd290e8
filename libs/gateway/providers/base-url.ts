import { BadRequestError } from '#core';
import type { EgressClient } from '#egress';
import { EgressRefusedError } from '#egress';

/**
 * The canonical base URL of a provider, without a trailing slash.
 * @throws BadRequestError that explains what to change
 */
export async function readBaseUrl(egress: EgressClient, text: string): Promise<string> {
  const url = URL.parse(text);
  if (url?.search) throw BadRequestError.field('base_url', 'must have no query (?…); leave it out');
  const vetted = await vet(egress, text);
  const root = vetted.replace(/\/+$/, '');
  if (/\/v1$/i.test(root)) {
    throw BadRequestError.field('base_url', 'must be the root of the provider; leave /v1 out, clients add it');
  }
  return root;
}

async function vet(egress: EgressClient, text: string): Promise<string> {
  try {
    return await egress.vet('gateway', text);
  } catch (error) {
    if (error instanceof EgressRefusedError) throw BadRequestError.field('base_url', error.message);
    throw error;
  }
}
