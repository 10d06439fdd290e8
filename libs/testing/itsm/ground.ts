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

/** Called for each request. Returns the failure to simulate; undefined for none. */
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
   * Ends a ticket in a way that must not be undone. Required if the adapter has `status`, and so can see that. `none`
   * if the platform has no such ending.
   */
  readonly decline?: 'none' | ((ref: TicketRef) => Promise<void> | void);
}

/** An answer with a success status in which the platform reports a failure. */
export type FailureInSuccess = PlatformAnswer & {
  /**
   * The outcome of a create with this answer. All but `uncertain` mean that nothing was created. Default: `uncertain`.
   */
  readonly becomes?: Exclude<CreateOutcome['kind'], 'created'>;
};

/**
 * An adapter under test with its platform, and facts that only its author knows. Created for each case. `Body` is what
 * the adapter renders: an object, or a list.
 */
export interface ItsmAdapterGround<
  Settings extends object = object,
  Secrets extends object = object,
  Body extends Json = JsonObject,
> {
  /** Returns a new instance on each call, because an adapter must not keep state in memory. */
  newAdapter(): ItsmAdapter<Settings, Secrets>;
  /** Valid settings, with every setting that exists. */
  settings: Settings;
  /** Secrets of at least six characters each, so that they do not occur in other words. */
  secrets: Secrets;
  /**
   * A second connector to the same platform, with other secrets, and other addresses if the settings contain any.
   * Default: derived from the first, with these texts changed.
   */
  another?: { settings: Settings; secrets: Secrets };
  /** Connects to a double of the platform in which create, find and check work, such as a `ScriptedAdapterHttp`. */
  http: AdapterHttp;
  /** Whether a request creates a ticket. */
  creates(request: AdapterRequest): boolean;
  /** Maximum lengths on the platform, in characters. */
  limits: { title: number; description: number };
  /**
   * How the platform shows descriptions and comments. `html`: as HTML. `markdown`: as Markdown, in which HTML works
   * too. `plain`: as sent; use it for a document format, too. Default: `html`.
   */
  shows?: Shows;
  /** The text that marks a shortened description. Default: the word `cut`. */
  cutMark?: RegExp;
  /** Returns the severity in a sent body, and the expected value per severity. The values must differ. */
  severity: { in(sent: Body): unknown; expected: Record<Severity, unknown> };
  /** A refusal of a create because of one field, and the name of that field in the outcome. */
  fieldRefusal: { answer: PlatformAnswer; field: string };
  /** Content type of requests that create. Default: `application/json`. */
  contentType?: string;
  /** Statuses with which the platform may confirm a new ticket. Default: the status that its double uses. */
  createdWith?: readonly number[];
  /**
   * Answers with a success status in which the platform reports a failure, such as `{ "result": [], "error": {…} }`.
   */
  failsInSuccess?: readonly FailureInSuccess[];
  /**
   * The platform's answer to too many requests, if its status is not 429, and the wait in it. Default: the platform
   * limits requests with 429.
   */
  rateLimit?: { readonly answer: PlatformAnswer; readonly waitMs?: number };
  /** Delay until the platform finds a new ticket by search, in milliseconds. Default: 0. */
  foundWithinMs?: number;
  /**
   * Makes a ticket older. Called between two creates with one key, if the platform's times are too coarse to order
   * them. Default: does nothing.
   */
  age?(ref: TicketRef): Promise<void> | void;
  /**
   * The states of the platform: `move` moves a ticket to a state, and `expected` is the status that each state must map
   * to. Required if the adapter has `status`. Useful without it, because a ticket must be found in each state.
   */
  status?: {
    move(ref: TicketRef, state: string): Promise<void> | void;
    expected: Record<string, TicketStatus>;
  };
  /** Required if the adapter has `update`, together with `status`. */
  update?: UpdateGround;
  /** If the adapter has `mapInbound`: bodies as the platform sends them, and the expected updates. */
  inbound?: readonly { body: JsonObject; headers?: Readonly<Record<string, string>>; update: InboundUpdate }[];
  /**
   * Required if the adapter has `isSigned`: the headers with which the platform signs a body, or with which it sends the
   * secret itself. Names in lower case.
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
   * For a platform behind a real network: lets the platform cause the failure itself. Default: simulated between
   * adapter and `http`.
   */
  interfere?(interference: Interference): void;
  /** Called after each case. */
  close?(): Promise<void>;
}
