/** An operation in the format of `OPERATIONS`. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  /** Path with placeholders for parameters: `/v1/policies/{id}`. */
  readonly path: string;
  /** Names of parameters that are sent as headers. */
  readonly headers: readonly string[];
  /** Content type of a text body. */
  readonly textType: string;
}

/** The parts of a request. */
export interface Prepared {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Parses an entry of `OPERATIONS`: method and path, headers, content type. */
export function parseOperation(name: string, entry: string): Operation {
  const [route = '', headers = '', textType = 'text/plain'] = entry.split('|');
  const [method = '', path = ''] = route.split(' ');
  return { name, method, path, headers: headers === '' ? [] : headers.split(','), textType };
}

/**
 * Inserts parameters into the path and the headers; all others become the query.
 * @throws TypeError if a parameter of the path is missing, because the URL would then be that of another operation
 */
export function prepare(operation: Operation, input: Readonly<Record<string, unknown>>): Prepared {
  const { body, ...parameters } = input;
  const used = new Set(operation.headers);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    used.add(name);
    const value = textOf(parameters[name]);
    if (!value || value === '.' || value === '..') throw new TypeError(`${operation.name}: ${name} is missing`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (used.has(name)) continue;
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const text = textOf(each);
      if (text !== undefined) query.append(name, text);
    }
  }
  const headers = operation.headers.flatMap(name => {
    const value = textOf(parameters[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (body !== undefined) headers.push(['content-type', typeof body === 'string' ? operation.textType : JSON_TYPE]);
  return {
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers: Object.fromEntries(headers),
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

const JSON_TYPE = 'application/json';

/** Parameters are texts, numbers and booleans. Other values are omitted. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value instanceof Date ? value.toISOString() : undefined;
}
