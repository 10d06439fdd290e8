/** Replacement of a secret. */
const HIDDEN = '[hidden]';

/** Minimum length of a part of a secret that is hidden, in characters. */
const TELLING = 8;

/**
 * Hides signing secrets in the body of an answer, because a receiver may repeat its secret in an error message.
 * @param isCut whether the stored body is truncated. If so, a secret that is cut off at its end is hidden too
 */
export function withoutSecrets(body: Buffer, secrets: readonly string[], isCut: boolean): Buffer {
  // Latin-1 converts each byte to one character, so that invalid UTF-8 stays unchanged.
  const text = body.toString('latin1');
  const spellings = secrets.flatMap(spellingsOf);
  let shown = text;
  for (const spelling of spellings) shown = shown.replaceAll(spelling, HIDDEN);
  const rest = isCut ? Math.max(0, ...spellings.map(spelling => begunAtEnd(shown, spelling))) : 0;
  if (rest > 0) shown = shown.slice(0, -rest) + HIDDEN;
  return shown === text ? body : Buffer.from(shown, 'latin1');
}

/** The forms of a secret without its prefix in texts, JSON, URLs, base64 and hexadecimal. */
function spellingsOf(secret: string): string[] {
  const key = secret.replace(/^whsec_/, '');
  const spellings = [key, key.replaceAll('/', String.raw`\/`), encodeURIComponent(key)];
  const encoded = [secret, key].map(text => Buffer.from(text).toString('base64').replace(/=+$/, ''));
  return [...new Set([...spellings, ...encoded, Buffer.from(key).toString('hex')])];
}

/** Length of the beginning of a secret at the end of a text, or 0 if it is too short to hide. */
function begunAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= TELLING; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
