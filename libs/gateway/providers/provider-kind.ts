import type { WireKind } from '#wire';

/** The kinds of APIs of providers. */
export const PROVIDER_KINDS = ['openai', 'anthropic', 'openai_compatible'] as const;

/** See {@link PROVIDER_KINDS}. */
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** The wire format of providers of this kind. */
export function wireOf(kind: ProviderKind): WireKind {
  return kind === 'anthropic' ? 'anthropic' : 'openai';
}

/**
 * Whether paths of the provider begin with `/v1`; an OpenAI-compatible provider may have the version in its base URL.
 */
export function versionPrefixOf(kind: ProviderKind): 'required' | 'optional' {
  return kind === 'openai_compatible' ? 'optional' : 'required';
}

/** The provider's label in decisions, prices and usage: the kind. For an OpenAI-compatible provider, its name. */
export function labelOf({ kind, name }: { kind: ProviderKind; name: string }): string {
  return kind === 'openai_compatible' ? name : kind;
}

const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/;

/** Longest name of a provider, in characters. */
export const NAME_MAX = 64;

/** Whether a text can be the name of a provider: lower-case letters and digits, separated by single `.`, `_` or `-`. */
export function isProviderName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text);
}
