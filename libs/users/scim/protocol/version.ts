/**
 * Whether an `If-Match` or `If-None-Match` header contains a version. Uses weak comparison, because all versions of
 * this server are weak (RFC 7644, section 3.14).
 */
export function isSameVersion(header: string, version: string): boolean {
  if (header.trim() === '*') return true;
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? [header.trim()];
  return tags.some(tag => opaque(tag) === opaque(version));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '').replaceAll('"', '');
}
