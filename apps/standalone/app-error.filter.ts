import { Catch } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ErrorFilter, type ErrorAnswer, type HttpRequest } from 'nest-llm-governance';

const NOT_FOUND = 404;
const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** Converts errors to the error bodies of the module. Answers 405 with `Allow` if the path exists for other methods. */
@Catch()
export class AppErrorFilter extends ErrorFilter {
  constructor(private readonly app: NestExpressApplication) {
    super();
  }

  protected override formed(answer: ErrorAnswer, request: HttpRequest): ErrorAnswer {
    // If the request has reached a route, the route itself has answered 404.
    if (answer.status !== NOT_FOUND || Reflect.get(request, 'route') !== undefined) return answer;
    const path: unknown = Reflect.get(request, 'path');
    const allowed = typeof path === 'string' ? methodsOf(this.app.getHttpAdapter().getInstance(), path) : [];
    if (allowed.length === 0) return answer;
    const allow = allowed.join(', ');
    const body = { ...answer.body, error: 'method_not_allowed', message: `This path takes ${allow} only.` };
    return { ...answer, status: 405, body, headers: { ...answer.headers, Allow: allow } };
  }
}

/** A layer of Express's router. A layer of a route has `route`, and a layer of a middleware does not. */
interface Layer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods for which Express has a route at a path. */
function methodsOf(express: unknown, path: string): string[] {
  const router: unknown = Reflect.get(Object(express), 'router');
  const stack: unknown = Reflect.get(Object(router), 'stack');
  if (!Array.isArray(stack)) return [];
  const matching = stack.filter(isLayer).filter(layer => layer.route !== undefined && layer.match(path));
  const taken = new Set(
    matching.flatMap(({ route }) => Object.keys(route?.methods ?? {}).map(method => method.toUpperCase())),
  );
  if (taken.has('GET')) taken.add('HEAD');
  return METHODS.filter(method => taken.has(method));
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && 'match' in value && typeof value.match === 'function';
}
