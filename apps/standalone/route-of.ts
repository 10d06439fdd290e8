import type { IncomingMessage } from 'node:http';

/** The pattern of the route. The address itself would create one series per id. */
export function routeOf(request: IncomingMessage): string {
  const route: unknown = Reflect.get(request, 'route');
  const path: unknown = typeof route === 'object' && route !== null ? Reflect.get(route, 'path') : undefined;
  return typeof path === 'string' ? path : '';
}
