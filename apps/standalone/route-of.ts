import type { IncomingMessage } from 'node:http';

/** The pattern of the request's route. The path itself would create a separate series for each id. */
export function routeOf(request: IncomingMessage): string {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : '';
}
