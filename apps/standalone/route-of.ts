import type { IncomingMessage } from 'node:http';

/** The route's pattern, never the address itself: ids in labels would make as many series as there are ids. */
export function routeOf(request: IncomingMessage): string {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : '';
}
