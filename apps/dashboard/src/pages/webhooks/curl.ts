/**
 * A shell command that repeats a request. Each argument is quoted, so that no character has a special meaning to the
 * shell.
 */
export function asCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -sS -i -X POST', ...named, `--data-binary ${quoted(body)}`, quoted(url)].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
