import type { IncomingMessage } from 'node:http';
import type { HttpServer, Provider } from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { hideBody, showBody } from '#access';
import { CHAT_ADAPTERS, type ChatCommandAdapter } from '#itsm';

type Done = () => void;

interface FastifyRoute {
  readonly url: string;
  preParsing?: (request: { raw: IncomingMessage }, reply: unknown, payload: unknown, done: Done) => void;
  preValidation?: (request: { raw: IncomingMessage }, reply: unknown, done: Done) => void;
}

/** The part of Fastify that this file uses. The host installs `fastify`; this package never imports it. */
interface Routes {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): unknown;
}

/** Returns the regular expression for a parameter in a path. */
type Parameter = (name: string, values?: readonly string[]) => string;

/**
 * Keeps the host's parsers from reading the bodies of some routes. This package reads these bodies itself, byte for
 * byte, after authentication and up to the route's own limit. It is registered before the routes and the host's
 * parsers. On Express, middleware that was registered earlier still reads the bodies.
 */
class UnreadBodies {
  private paths: RegExp | undefined;

  constructor(
    http: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly path: string | undefined,
    /** The paths after the prefix, as the source of a regular expression. */
    private readonly routes: (parameter: Parameter) => string,
  ) {
    // In a testing module, the HTTP server is created after the providers.
    http.init$.subscribe(() => this.leaveUnread(http.httpAdapter));
  }

  private leaveUnread(server: HttpServer | undefined): void {
    const platform = server?.getType?.();
    if (platform === 'express') server?.use(this.onExpress);
    const instance: unknown = platform === 'fastify' ? server?.getInstance() : undefined;
    if (takesHooks(instance)) instance.addHook('onRoute', this.onFastify);
  }

  private readonly onExpress = (request: IncomingMessage & { path: string }, _response: unknown, next: Done): void => {
    // Computed at the first request, because a host may set its prefix after this module was created.
    this.paths ??= this.pattern((_name, values) => values?.map(literally).join('|') ?? '[^/]+');
    if (this.paths.test(request.path)) hideBody(request);
    next();
  };

  private readonly onFastify = (route: FastifyRoute): void => {
    if (!this.pattern(name => `:${name}`).test(route.url)) return;
    route.preParsing = ({ raw }, _reply, _payload, done) => {
      // Hides the content type too, because Fastify refuses types for which it has no parser.
      hideBody(raw, ['content-type']);
      done();
    };
    route.preValidation = ({ raw }, _reply, done) => {
      showBody(raw);
      done();
    };
  };

  /** The pattern is case-insensitive, because Express matches paths in this way. */
  private pattern(parameter: Parameter): RegExp {
    const { exclude = [] } = this.config.getGlobalPrefixOptions();
    const global = segments(this.config.getGlobalPrefix());
    const before = exclude.length > 0 ? `(${global})?` : global;
    return new RegExp(`^${before}${segments(this.path ?? '')}${this.routes(parameter)}/?$`, 'i');
  }
}

/** Injection token of the gateway's routes. If the library is not composed, there are no such routes. */
const GATEWAY_ROUTES = Symbol('governance.gateway-routes');

/**
 * The routes without a bearer credential: ticket updates and chat commands.
 * @param path prefix of all routes
 */
export function openRoutes(path: string | undefined): Provider {
  return {
    provide: UnreadBodies,
    inject: [HttpAdapterHost, ApplicationConfig, CHAT_ADAPTERS],
    useFactory: (http: HttpAdapterHost, config: ApplicationConfig, chats: readonly ChatCommandAdapter[]) => {
      const kinds = chats.map(({ kind }) => kind);
      return new UnreadBodies(http, config, path, parameter => {
        const chat = `(${parameter('platform', kinds)})/(commands|interactions)`;
        return `/v1/integrations/(itsm/webhook/${parameter('org_id')}|${chat})`;
      });
    },
  };
}

/**
 * The routes of the gateway. Their bodies are larger than others, and are forwarded byte for byte.
 * @param path prefix of all routes
 */
export function gatewayRoutes(path: string | undefined): Provider {
  return {
    provide: GATEWAY_ROUTES,
    inject: [HttpAdapterHost, ApplicationConfig],
    useFactory: (http: HttpAdapterHost, config: ApplicationConfig) =>
      new UnreadBodies(http, config, path, parameter => `/gateway/${parameter('name')}/.+`),
  };
}

/** Injection token of the routes that receive telemetry. */
const TELEMETRY_ROUTES = Symbol('governance.telemetry-routes');

/**
 * The routes that receive OpenTelemetry data. Their bodies may be protobuf and may be compressed.
 * @param path prefix of all routes
 */
export function telemetryRoutes(path: string | undefined): Provider {
  return {
    provide: TELEMETRY_ROUTES,
    inject: [HttpAdapterHost, ApplicationConfig],
    useFactory: (http: HttpAdapterHost, config: ApplicationConfig) =>
      new UnreadBodies(http, config, path, () => '/v1/integrations/otlp/v1/(traces|logs|metrics)'),
  };
}

function segments(path: string): string {
  const names = path.split('/').filter(name => name !== '');
  return names.map(name => (name.startsWith(':') ? '/[^/]+' : `/${literally(name)}`)).join('');
}

function literally(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function takesHooks(instance: unknown): instance is Routes {
  return typeof instance === 'object' && instance !== null && 'addHook' in instance;
}
