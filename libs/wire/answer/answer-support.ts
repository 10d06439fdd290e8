import { AnswerReader, type AnswerSummary } from './answer-reader.js';
import { wireRouteOf, type WireRoute } from '../routes.js';

/** The bytes that a reader has forwarded, and its result. */
export interface ReadAnswer {
  readonly passed: string;
  readonly summary: Omit<AnswerSummary, 'rest'>;
}

/** The route of a path. Throws if the path is unknown. */
export function routeOf(path: string): WireRoute {
  const route = wireRouteOf(path.startsWith('/v1/messages') ? 'anthropic' : 'openai', 'POST', path);
  if (!route) throw new Error(`${path} is not a route`);
  return route;
}

/** Reads an answer that arrives in the given chunks. */
export function readAnswer(
  route: WireRoute,
  pieces: readonly Uint8Array[],
  { contentType = 'text/event-stream', hidesUsageChunk = false, status = 200 } = {},
): ReadAnswer {
  const reader = new AnswerReader(route, { status, contentType, hidesUsageChunk });
  const passed = pieces.flatMap(piece => reader.push(piece));
  const { rest, ...summary } = reader.end();
  return { passed: Buffer.concat([...passed, ...rest]).toString('utf8'), summary };
}

/** Splits bytes at the given offsets. Any numbers may be given. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, index) => bytes.subarray(at[index], to));
}

/** Events in the form in which a provider writes them: one `data:` line each. */
export function sse(events: readonly (object | string)[], lineEnd = '\n'): string {
  return events
    .map(event => {
      const named = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}${lineEnd}` : '';
      return `${named}data: ${typeof event === 'string' ? event : JSON.stringify(event)}${lineEnd}${lineEnd}`;
    })
    .join('');
}
