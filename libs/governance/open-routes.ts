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

/** What this file needs of Fastify; `fastify` itself is the host's and never imported here. */
interface Routes {
  addHook(name: 'onRoute', hook: (route: FastifyRoute) => void): unknown;
}

/**
 * The routes that strangers may call: reports of tickets and chat commands. Keeps the host's parsers from reading what is
 * sent there before anybody knows who sends it: the body guard reads it, byte for byte, when they have been let in and up
 * to the route's own limit. Made before the routes and the host's parsers are there; on Express what stands before it
 * reads all the same.
 */
class OpenRoutes {
  private paths: RegExp | undefined;

  constructor(
    http: HttpAdapterHost,
    private readonly config: ApplicationConfig,
    private readonly path: string | undefined,
    private readonly chats: readonly string[],
  ) {
    // In a testing module the server comes later than the providers.
    http.init$.subscribe(() => this.leaveUnread(http.httpAdapter));
  }

  private leaveUnread(server: HttpServer | undefined): void {
    const platform = server?.getType?.();
    if (platform === 'express') server?.use(this.onExpress);
    const instance: unknown = platform === 'fastify' ? server?.getInstance() : undefined;
    if (takesHooks(instance)) instance.addHook('onRoute', this.onFastify);
  }

  private readonly onExpress = (request: IncomingMessage & { path: string }, _response: unknown, next: Done): void => {
    // Not before: a host names its prefix when the module is there already.
    this.paths ??= this.pattern('[^/]+', this.chats.map(literally).join('|'));
    if (this.paths.test(request.path)) hideBody(request);
    next();
  };

  private readonly onFastify = (route: FastifyRoute): void => {
    if (!this.pattern(':org_id', ':platform').test(route.url)) return;
    route.preParsing = ({ raw }, _reply, _payload, done) => {
      // Fastify refuses types that it has no parser for.
      hideBody(raw, ['content-type']);
      done();
    };
    route.preValidation = ({ raw }, _reply, done) => {
      showBody(raw);
      done();
    };
  };

  /** Capital letters are not told apart, as Express does not. */
  private pattern(organization: string, platform: string): RegExp {
    const { exclude = [] } = this.config.getGlobalPrefixOptions();
    const global = segments(this.config.getGlobalPrefix());
    const before = exclude.length > 0 ? `(${global})?` : global;
    const ours = `${before}${segments(this.path ?? '')}/v1/integrations`;
    return new RegExp(`^${ours}/(itsm/webhook/${organization}|(${platform})/commands)/?$`, 'i');
  }
}

/** @param path prefix of all routes */
export function openRoutes(path: string | undefined): Provider {
  return {
    provide: OpenRoutes,
    inject: [HttpAdapterHost, ApplicationConfig, CHAT_ADAPTERS],
    useFactory: (http: HttpAdapterHost, config: ApplicationConfig, chats: readonly ChatCommandAdapter[]) =>
      new OpenRoutes(
        http,
        config,
        path,
        chats.map(({ kind }) => kind),
      ),
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
