import type { CallRequest, UnavailableChoice } from '../call.js';
import type { MeterOptions } from '../metered-stream.js';

/** Reads something of the host's request. */
// A host names its own request class, which is what Express or Fastify hands over.
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
  /** More of the request, such as `max_output_tokens`. */
  readonly more?: OfRequest<Partial<CallRequest>>;
  /** What the handler's result used, or a chunk of it where that is a stream. Default: its own `id`, `model` and `usage`. */
  readonly usageOf?: MeterOptions<unknown>['usageOf'];
  /** The text of a chunk, by which tokens are counted until the provider says. */
  readonly textOf?: MeterOptions<unknown>['textOf'];
  /** What becomes of a stream whose reader leaves. Default: `estimate`. */
  readonly onAbort?: MeterOptions<unknown>['onAbort'];
  /** Default: the module's option `calls.onUnavailable`. */
  readonly onUnavailable?: UnavailableChoice;
}
