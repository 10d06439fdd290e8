import { isStorableText, isUuid } from '#core';

const EMAIL_MAX = 320;

/** A person as decisions and usage events name one. */
export type NamedPerson = { readonly user_id: string } | { readonly user_email: string };

/** Reads a text as the id or the e-mail address of a person; undefined where it is neither. */
export function namedPerson(value: unknown): NamedPerson | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const isId: boolean = isUuid(text);
  if (isId) return { user_id: text.toLowerCase() };
  return text.includes('@') && text.length <= EMAIL_MAX && isStorableText(text) ? { user_email: text } : undefined;
}
