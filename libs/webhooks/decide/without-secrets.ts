/** What stands in place of a secret. */
const HIDDEN = '[hidden]';

/** So many characters of a secret in a row say something of it. */
const TELLING = 8;

/**
 * The body of an answer with signing secrets in it hidden: a receiver knows its own, and may repeat it when it fails.
 * @param isCut whether the body ends before the answer did; then the beginning of a secret at its end is hidden too
 */
export function withoutSecrets(body: Buffer, secrets: readonly string[], isCut: boolean): Buffer {
  // One character per byte: what is no UTF-8 stays as it is.
  const text = body.toString('latin1');
  const spellings = secrets.flatMap(spellingsOf);
  let shown = text;
  for (const spelling of spellings) shown = shown.replaceAll(spelling, HIDDEN);
  const rest = isCut ? Math.max(0, ...spellings.map(spelling => begunAtEnd(shown, spelling))) : 0;
  if (rest > 0) shown = shown.slice(0, -rest) + HIDDEN;
  return shown === text ? body : Buffer.from(shown, 'latin1');
}

/** A secret without its prefix, which tells nothing, as texts, JSON and forms write it. */
function spellingsOf(secret: string): string[] {
  const key = secret.replace(/^whsec_/, '');
  const spellings = [key, key.replaceAll('/', String.raw`\/`), encodeURIComponent(key)];
  const encoded = [secret, key].map(text => Buffer.from(text).toString('base64').replace(/=+$/, ''));
  return [...new Set([...spellings, ...encoded, Buffer.from(key).toString('hex')])];
}

/** How many characters of a secret a text ends with, where they say something of it. */
function begunAtEnd(text: string, secret: string): number {
  for (let length = secret.length - 1; length >= TELLING; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}
