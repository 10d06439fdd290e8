import type { CallRequest, UnavailableChoice } from '../call.js';
import type { MeterOptions } from '../metered-stream.js';

/** Reads a value from the host's request. */
// A host uses its own request type, such as that of Express or Fastify.
// oxlint-disable-next-line typescript/no-explicit-any
export type OfRequest<T> = (request: any) => T;

/** How a route of the host is governed. */
export interface GovernedRoute {
  /** The provider, such as `openai`. */
  readonly provider: string | OfRequest<string>;
  readonly model: string | OfRequest<string>;
  /** The person: the id or the e-mail address of a user. */
  readonly user: OfRequest<string>;
  /** UUID of the organization. Default: the module's option `calls.organizationId`. */
  readonly org?: OfRequest<string>;
  /** Further fields of the request, such as `max_output_tokens`. */
  readonly more?: OfRequest<Partial<CallRequest>>;
  /**
   * Reads the usage of the result, or of one chunk of a streamed result. Default: `id`, `model` and `usage` of the
   * result or chunk.
   */
  readonly usageOf?: MeterOptions<unknown>['usageOf'];
  /** Reads the text of a chunk. Tokens are estimated from it until the provider reports the usage. */
  readonly textOf?: MeterOptions<unknown>['textOf'];
  /** How a stream is counted if its reader leaves early. Default: `estimate`. */
  readonly onAbort?: MeterOptions<unknown>['onAbort'];
  /** Default: the module's option `calls.onUnavailable`. */
  readonly onUnavailable?: UnavailableChoice;
}
