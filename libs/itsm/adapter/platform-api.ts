import type { Clock, Json, JsonObject } from '#core';
import type { AdapterHttp, AdapterRequest, AdapterResponse } from './adapter-http.js';
import type { CreateFailure, CreateOutcome, TicketRef } from './create-outcome.js';
import { outcomeOfChange } from './other-outcomes.js';
import {
  asObject,
  objectIn,
  outcomeOfRefusal,
  PlatformAnswerError,
  retryAfterMs,
  type Reason,
} from './platform-answer.js';
import type { UpdateOutcome } from './ticket-change.js';
import type { TicketStatus } from './ticket-state.js';

/** The API of a platform, with the credentials of a connector. */
export interface ApiOptions {
  /** Name of the platform, for use in messages. */
  readonly name: string;
  readonly http: AdapterHttp;
  readonly clock: Clock;
  /** Base URL. Slashes at its end are ignored. */
  readonly base: string;
  /** Headers of every request, such as the one for authentication. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters of every request. A single request can override them. */
  readonly query?: Readonly<Record<string, string>>;
  /** Extracts the reason of a refusal from an answer. Default: no reason. */
  readonly reasonIn?: (answer: AdapterResponse) => Reason;
}

/** A request to a path below the base URL of an API. */
export interface ApiRequest extends Pick<AdapterRequest, 'json' | 'timeoutMs' | 'headers'> {
  /** Default: POST if the request has a body, otherwise GET. */
  readonly method?: AdapterRequest['method'];
  readonly query?: Readonly<Record<string, string>>;
}

const CREATE_TIMEOUT_MS = 15_000;

/** Client of a JSON API. Converts answers to the outcomes of creates, changes and reads. */
export class PlatformApi {
  constructor(private readonly options: ApiOptions) {}

  /**
   * Sends a request.
   * @param path the path, which begins with a slash; the caller must encode external values
   * @throws AdapterHttpError
   */
  ask(path: string, { query, headers, ...request }: ApiRequest = {}): Promise<AdapterResponse> {
    const { base, http, headers: own } = this.options;
    const parameters = new URLSearchParams({ ...this.options.query, ...query });
    const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
    return http.request({
      method: request.json === undefined ? 'GET' : 'POST',
      ...request,
      url: withoutSlash(base) + path + search,
      headers: { accept: 'application/json', ...own, ...headers },
    });
  }

  /** Sends a read request. Returns the JSON object in its answer. @throws PlatformAnswerError, AdapterHttpError */
  async read(path: string, request?: ApiRequest): Promise<JsonObject> {
    return this.objectIn(await this.ask(path, request));
  }

  /**
   * The JSON object in an answer to a read request.
   * @param name a property that the object must have
   * @throws PlatformAnswerError
   */
  objectIn(answer: AdapterResponse, name?: string): JsonObject {
    return this.valueIn(answer, each => {
      const json = objectIn(each);
      return name === undefined || (ownValue(json, name) ?? null) !== null ? json : undefined;
    });
  }

  /**
   * Whether a text occurs anywhere in a list that an answer contains.
   * @param name as in `listIn`
   * @throws PlatformAnswerError, AdapterHttpError
   */
  async mentions(text: string, path: string, request: ApiRequest, name?: string): Promise<boolean> {
    return JSON.stringify(this.listIn(await this.ask(path, request), name)).includes(text);
  }

  /**
   * The objects of a list in an answer to a read request.
   * @param name the property that contains the list. Default: the answer itself is the list
   */
  listIn(answer: AdapterResponse, name?: string): JsonObject[] {
    const list = this.valueIn(answer, each => {
      const json: Json | undefined = name === undefined ? each.json() : ownValue(objectIn(each), name);
      return Array.isArray(json) ? json : undefined;
    });
    return list.map(asObject).filter(entry => entry !== undefined);
  }

  /**
   * Creates a ticket with one request, whose timeout is 15 seconds.
   * @param status the status of a successful answer
   * @param lacking returns one sentence for each value that could not be set. Default: none
   * @throws AdapterHttpError
   */
  async create(
    path: string,
    request: ApiRequest,
    status: number,
    refOf: (json: JsonObject) => TicketRef | undefined,
    lacking: (json: JsonObject) => readonly string[] = () => [],
  ): Promise<CreateOutcome> {
    const answer = await this.ask(path, { timeoutMs: CREATE_TIMEOUT_MS, ...request });
    const json = answer.status === status ? objectIn(answer) : undefined;
    const ref = json && refOf(json);
    if (!json || !ref) return this.failure(answer);
    const degraded = lacking(json);
    return { kind: 'created', ref, ...(degraded.length > 0 && { degraded }) };
  }

  /**
   * Outcome of a change, from the answer to its request. If the status is the expected one, `isMade` decides: true
   * means that the ticket was changed, and false that the change was refused permanently. If `isMade` returns
   * undefined, the answer is not about the ticket.
   * @param now the status of the ticket after the change, if it is known
   */
  changed(
    answer: AdapterResponse,
    status: number,
    isMade: (json: JsonObject) => boolean | undefined,
    now?: TicketStatus,
  ): UpdateOutcome {
    const json = answer.status === status ? objectIn(answer) : undefined;
    const isDone = json && isMade(json);
    if (isDone === undefined) return outcomeOfChange(this.failure(answer));
    if (isDone) return { kind: 'updated', ...(now && { status: now }) };
    const message = `${this.options.name} took the change but left the ticket as it was: the account may lack a right, or a rule prevents it.`;
    return { kind: 'refused', code: 'config', message };
  }

  /** Outcome of a create whose answer does not name a ticket. */
  failure(answer: AdapterResponse): CreateFailure {
    return outcomeOfRefusal(answer, this.options.clock, this.options.reasonIn?.(answer));
  }

  /** The error for an answer to a read request that lacks the requested data. */
  error(answer: AdapterResponse): PlatformAnswerError {
    const outcome = this.failure(answer);
    if (outcome.kind === 'rejected') return new PlatformAnswerError(outcome.message, { code: outcome.code });
    const wait = retryAfterMs(answer, this.options.clock);
    const message = `${this.options.name} did not return what it was asked for (${answer.status}).`;
    return new PlatformAnswerError(message, wait === undefined ? {} : { retryAfterMs: wait });
  }

  private valueIn<Value>(answer: AdapterResponse, read: (answer: AdapterResponse) => Value | undefined): Value {
    const value = answer.status === 200 ? read(answer) : undefined;
    if (value === undefined) throw this.error(answer);
    return value;
  }
}

/** Removes slashes at the end of a URL. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The header value of Basic authentication (RFC 7617). */
export function basicAuth(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** Maximum number of pages that are read of a list. Real lists have fewer pages. */
const MAX_PAGES = 10;

/**
 * Reads all pages of a list. `read` returns the items of one page and the position of the next page. On the last page,
 * the position is undefined.
 * @throws PlatformAnswerError if there are more than ten pages
 */
export async function readPages<Item, Place>(
  read: (place: Place | undefined) => Promise<{ readonly items: readonly Item[]; readonly next: Place | undefined }>,
): Promise<Item[]> {
  const found: Item[] = [];
  let place: Place | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, next } = await read(place);
    found.push(...items);
    if (next === undefined) return found;
    place = next;
  }
  throw new PlatformAnswerError(`The list has more than ${MAX_PAGES} pages.`);
}

/** Reads only own properties, so that a name such as `constructor` finds nothing. */
function ownValue(json: JsonObject | undefined, name: string): Json | undefined {
  return json !== undefined && Object.hasOwn(json, name) ? json[name] : undefined;
}
