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

/** What happens to a request in place of the ordinary. */
export type Trouble =
  /** The platform does nothing and answers this. */
  | { readonly kind: 'answer'; readonly answer: PlatformAnswer }
  /** The platform does what it was asked for, and this comes back. */
  | { readonly kind: 'done, but answer'; readonly answer: PlatformAnswer }
  /** The platform does what it was asked for, and the connection ends without an answer. */
  | { readonly kind: 'done, but cut' };

/** Asked for every request; undefined lets it pass. */
export type Interference = (request: AdapterRequest) => Trouble | undefined;

/** What the platform shows of a ticket, and what people do with it. */
export interface UpdateGround {
  /** Where a ticket stands. Needed where the adapter has no `status`. */
  standing?(ref: TicketRef): Promise<TicketStatus> | TicketStatus;
  /** The texts that were added to a ticket, as people read them. Never asked where the platform takes no comments. */
  texts(ref: TicketRef): Promise<readonly string[]> | readonly string[];
  /** The priority of a ticket, in the form of `severity.expected`. */
  priority(ref: TicketRef): unknown;
  /** Gives a ticket the priority of a severity, as people do. Needed where the adapter changes priorities. */
  prioritize?(ref: TicketRef, severity: Severity): Promise<void> | void;
  /** A state of `status.move` in which a ticket is resolved and may be reopened. */
  readonly resolved: string;
  /**
   * Ends a ticket in a way that must not be undone. Needed where the adapter has `status`, and so could see that. `none`
   * if the platform has no such ending.
   */
  readonly decline?: 'none' | ((ref: TicketRef) => Promise<void> | void);
}

/** An answer with a status of success by which a platform says that it failed. */
export type FailureInSuccess = PlatformAnswer & {
  /** The outcome if a create is answered so. All but `uncertain` say that nothing was created. Default: `uncertain`. */
  readonly becomes?: Exclude<CreateOutcome['kind'], 'created'>;
};

/**
 * An adapter under test, its platform, and what only its author can say of it. Made anew for every case. `Body` is what
 * the adapter renders: an object, or a list.
 */
export interface ItsmAdapterGround<
  Settings extends object = object,
  Secrets extends object = object,
  Body extends Json = JsonObject,
> {
  /** Another instance each time: nothing may depend on one being kept. */
  newAdapter(): ItsmAdapter<Settings, Secrets>;
  /** With which tickets can be created; every setting that there is. */
  settings: Settings;
  /** Of at least six characters each, so that they can be told from other words. */
  secrets: Secrets;
  /**
   * A second connector to the same platform, with other secrets, and other addresses if the settings hold any. Default: the
   * first, with such texts changed.
   */
  another?: { settings: Settings; secrets: Secrets };
  /** Leads to a double of the platform in which creating, finding and looking work: a `ScriptedAdapterHttp`, say. */
  http: AdapterHttp;
  /** Whether a request is one that creates a ticket. */
  creates(request: AdapterRequest): boolean;
  /** The most that the platform takes, in characters. */
  limits: { title: number; description: number };
  /**
   * How the platform shows descriptions and texts of changes. `html`: as HTML. `markdown`: as Markdown, in which HTML has
   * its meaning, too. `plain`: as they are sent, which a document format of its own counts as. Default: `html`.
   */
  shows?: Shows;
  /** What a shortened description shows. Default: the word `cut`. */
  cutMark?: RegExp;
  /** Where in a body that was sent the severity shows, and what must stand there: something else for each. */
  severity: { in(sent: Body): unknown; expected: Record<Severity, unknown> };
  /** How the platform refuses a create for one of its fields, and under which name the outcome must have it. */
  fieldRefusal: { answer: PlatformAnswer; field: string };
  /** The type of the content of requests that create, as the platform reads it. Default: `application/json`. */
  contentType?: string;
  /** Statuses with which the platform may name a new ticket. Default: the one with which its double does. */
  createdWith?: readonly number[];
  /** Answers by which the platform says under a status of success that it failed: `{ "result": [], "error": {…} }`, say. */
  failsInSuccess?: readonly FailureInSuccess[];
  /** How long the platform may need until it finds what was created, in milliseconds. Default: 0. */
  foundWithinMs?: number;
  /**
   * Makes a ticket older than it is. Called between two creates with one key, where the platform's own times are too
   * coarse to tell which came first. Default: nothing is done.
   */
  age?(ref: TicketRef): Promise<void> | void;
  /**
   * Moves a ticket on the platform, and what each of its states must become. Needed where the adapter has `status`; of use
   * without, because a ticket must be found in each of these states.
   */
  status?: {
    move(ref: TicketRef, state: string): Promise<void> | void;
    expected: Record<string, TicketStatus>;
  };
  /** Needed where the adapter has `update`; `status` is needed then, too. */
  update?: UpdateGround;
  /** Where the adapter has `mapInbound`: bodies as the platform sends them, and what they report. */
  inbound?: readonly { body: JsonObject; headers?: Readonly<Record<string, string>>; update: InboundUpdate }[];
  /** Needed where the adapter has `isSigned`: the headers that the platform adds to sign a body. Names in lower case. */
  signs?: (bytes: Buffer, secret: string) => Readonly<Record<string, string>>;
  /** The platform may send several signatures in one header, with commas between them, and one that is right is enough. */
  signsTogether?: boolean;
  /**
   * For a platform behind a real network: lets it bring the trouble about itself. Default: done between adapter and
   * `http`.
   */
  interfere?(interference: Interference): void;
  /** Called after each case. */
  close?(): Promise<void>;
}
