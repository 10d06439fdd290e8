/** A command that sends a request again, for a shell. Each argument is quoted, so no character of it means anything. */
export function asCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -sS -i -X POST', ...named, `--data-binary ${quoted(body)}`, quoted(url)].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
