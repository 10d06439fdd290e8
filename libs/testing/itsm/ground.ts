import type { Json, JsonObject, Severity } from '#core';
import type {
  AdapterHttp,
  AdapterRequest,
  CreateOutcome,
  InboundUpdate,
  ItsmAdapter,
  TicketRef,
  TicketStatus,
} from '#itsm';
import type { Shows } from './markup.js';
import type { PlatformAnswer } from './scripted-adapter-http.js';

/** A simulated failure of a request. */
export type Trouble =
  /** The platform does nothing and sends this answer. */
  | { readonly kind: 'answer'; readonly answer: PlatformAnswer }
  /** The platform executes the request, but sends this answer. */
  | { readonly kind: 'done, but answer'; readonly answer: PlatformAnswer }
  /** The platform executes the request, but the connection ends without an answer. */
  | { readonly kind: 'done, but cut' };

/** Called for each request. Returns the failure to simulate; undefined if the request should succeed. */
export type Interference = (request: AdapterRequest) => Trouble | undefined;

/** Functions to read and change a ticket on the platform, as people do. */
export interface UpdateGround {
  /** The status of a ticket. Required if the adapter has no `status`. */
  standing?(ref: TicketRef): Promise<TicketStatus> | TicketStatus;
  /** The comments on a ticket, as people read them. Not called if the platform takes no comments. */
  texts(ref: TicketRef): Promise<readonly string[]> | readonly string[];
  /** The priority of a ticket, in the form of `severity.expected`. */
  priority(ref: TicketRef): unknown;
  /** Sets the priority of a ticket for a severity, as people do. Required if the adapter changes priorities. */
  prioritize?(ref: TicketRef, severity: Severity): Promise<void> | void;
  /** A state of `status.move` in which a ticket is resolved and can be reopened. */
  readonly resolved: string;
  /**
   * Closes a ticket in such a way that the adapter must not reopen it. Required if the adapter has `status`, because
   * such an adapter can read how a ticket ended. `none` if the platform has no such ending.
   */
  readonly decline?: 'none' | ((ref: TicketRef) => Promise<void> | void);
}

/** An answer whose status means success, but whose body reports a failure. */
export type FailureInSuccess = PlatformAnswer & {
  /**
   * The expected outcome of a create with this answer. Every outcome except `uncertain` means that no ticket was
   * created. Default: `uncertain`.
   */
  readonly becomes?: Exclude<CreateOutcome['kind'], 'created'>;
};

/**
 * An adapter under test with its platform, and facts that only the author of the adapter knows. Created for each case.
 * `Body` is the type of the body that the adapter renders: an object or a list.
 */
export interface ItsmAdapterGround<
  Settings extends object = object,
  Secrets extends object = object,
  Body extends Json = JsonObject,
> {
  /** Returns a new instance on each call, because an adapter must not keep state in memory. */
  newAdapter(): ItsmAdapter<Settings, Secrets>;
  /** Valid settings that contain every possible setting. */
  settings: Settings;
  /** Valid secrets. Each has at least six characters, so that it does not occur in other words by chance. */
  secrets: Secrets;
  /**
   * A second connector to the same platform, with other secrets, and with other addresses if the settings contain any.
   * Default: the first connector with changed secrets and addresses.
   */
  another?: { settings: Settings; secrets: Secrets };
  /**
   * Connects to a double of the platform that supports at least create, find and check, such as a
   * `ScriptedAdapterHttp`.
   */
  http: AdapterHttp;
  /** Whether a request creates a ticket. */
  creates(request: AdapterRequest): boolean;
  /** Maximum lengths on the platform, in characters. */
  limits: { title: number; description: number };
  /**
   * How the platform shows descriptions and comments. `html`: as HTML. `markdown`: as Markdown that may contain HTML.
   * `plain`: as sent; also for a document format. Default: `html`.
   */
  shows?: Shows;
  /** The text that marks a shortened description. Default: the word `cut`. */
  cutMark?: RegExp;
  /** Returns the severity in a sent body, and the expected value per severity. The values must differ. */
  severity: { in(sent: Body): unknown; expected: Record<Severity, unknown> };
  /**
   * The platform's answer that refuses a create because of one field, and the name of that field in the expected
   * outcome.
   */
  fieldRefusal: { answer: PlatformAnswer; field: string };
  /** Content type of requests that create. Default: `application/json`. */
  contentType?: string;
  /**
   * Response statuses with which the platform may confirm a new ticket. Default: the status with which the platform's
   * double confirms it.
   */
  createdWith?: readonly number[];
  /** Answers whose status means success, but whose body reports a failure, such as `{ "result": [], "error": {…} }`. */
  failsInSuccess?: readonly FailureInSuccess[];
  /**
   * The platform's answer to too many requests, and the wait that the answer requests. Required only if the platform
   * does not use status 429 for it.
   */
  rateLimit?: { readonly answer: PlatformAnswer; readonly waitMs?: number };
  /** Delay until the platform finds a new ticket by search, in milliseconds. Default: 0. */
  foundWithinMs?: number;
  /**
   * Makes a ticket older. Called between two creates with one key. Needed only if two tickets created in quick
   * succession get the same creation time. Default: does nothing.
   */
  age?(ref: TicketRef): Promise<void> | void;
  /**
   * The states of a ticket on the platform: `move` moves a ticket to a state, and `expected` is the status to which the
   * adapter must map each state. Required if the adapter has `status`. Useful for every other adapter, because the
   * rules then check that a ticket is found in each state.
   */
  status?: {
    move(ref: TicketRef, state: string): Promise<void> | void;
    expected: Record<string, TicketStatus>;
  };
  /**
   * Moves a ticket to another project, or renames it otherwise, as people do. Returns its new name. Required if the
   * adapter has `status` or `update`. `none` if the name of a ticket never changes on the platform.
   */
  rename?: 'none' | ((ref: TicketRef) => Promise<TicketRef> | TicketRef);
  /**
   * From now on, a search for this key has tickets on further pages: the pages are small, or other results fill the
   * first one. Required if the adapter can search. `none` if the platform answers a search with one page.
   */
  paginate?: 'none' | ((key: string) => Promise<void> | void);
  /** What the rules for changes need. Required if the adapter has `update`, together with `status`. */
  update?: UpdateGround;
  /** Bodies as the platform sends them, and the expected updates. Required if the adapter has `mapInbound`. */
  inbound?: readonly { body: JsonObject; headers?: Readonly<Record<string, string>>; update: InboundUpdate }[];
  /**
   * The headers that the platform sends with a body: its signature, or the secret itself. Names in lower case. Required
   * if the adapter has `isSigned`.
   */
  signs?: (bytes: Buffer, secret: string) => Readonly<Record<string, string>>;
  /**
   * Whether the headers depend on the body. False if the platform sends the secret itself: the adapter then uses
   * `hasSecret`. Default: true.
   */
  signsBody?: boolean;
  /**
   * Whether the platform may send several signatures in one header, separated by commas, of which one must be valid.
   */
  signsTogether?: boolean;
  /**
   * Needed if the platform is reached over a real network: lets the platform simulate the failure of a request.
   * Default: the failure is simulated between the adapter and `http`.
   */
  interfere?(interference: Interference): void;
  /** Called after each case. */
  close?(): Promise<void>;
}
