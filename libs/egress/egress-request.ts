import type { IncomingHttpHeaders } from 'node:http';
import type { EgressPurpose } from './addresses/allowed-targets.js';
import type { JudgedTarget } from './judged-target.js';

/** How a call failed, for programs. */
export type EgressErrorCode =
  'timeout' | 'dns' | 'refused_address' | 'refused_url' | 'connect' | 'tls' | 'reset' | 'protocol' | 'aborted';

/** A failure: its class, and one sentence for a person without query, user info or headers. */
export interface EgressError {
  code: EgressErrorCode;
  message: string;
}

/** One request. */
export interface EgressRequest {
  /** What the call is for: entries of `egress.allow` may hold for one purpose only. */
  purpose: EgressPurpose;
  url: string;
  method: 'POST' | 'GET' | 'PUT' | 'PATCH';
  /** `host` and `accept-encoding` are not the caller's to choose and are left out. */
  headers: Record<string, string>;
  body?: Buffer;
  /**
   * From the resolution of the name to the end of the answer, in milliseconds. Default: 10,000. A connection that is
   * not there after 10.5 s ends the call in any case.
   */
  timeoutMs?: number;
  /** How much of the answer's body is kept. Default: 16,384. */
  maxBodyBytes?: number;
  /** Ends the call with `aborted`. */
  abort?: AbortSignal;
}

/** What came of a request. With a status the headers arrived in time, and there is no error. */
export interface EgressAnswer {
  /** From the call to this answer, in whole milliseconds. */
  durationMs: number;
  /** 200 to 599 as sent; 3xx is not followed. */
  status?: number;
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Record<string, string>;
  /** The beginning of the body as it came: nothing is decompressed or decoded. */
  body: Buffer;
  /** There was more of the body, or it broke off, or did not end in time. */
  truncated: boolean;
  /**
   * The answer may be shown: it came from a public address, or from one that `egress.allow` names for this purpose.
   * False: what stands in it is for nobody to read who only asked for the call.
   */
  mayShow: boolean;
  error?: EgressError;
  /** A connection was there and the request may have left by it. False: the other side provably saw nothing of it. */
  sent: boolean;
}

/** One request whose answer is handed on while it comes. */
export interface StreamRequest {
  /** Where it goes, as `EgressClient.judge` has found it permitted. */
  target: JudgedTarget;
  /** Path and query, beginning with a slash. */
  path: string;
  method: 'GET' | 'POST';
  /** Names and values in turn. `host` and `accept-encoding` are not the caller's to choose and are left out. */
  headers: readonly string[];
  body?: Uint8Array;
  limits: StreamLimits;
}

/** How long each part of a streamed call may take, in milliseconds. */
export interface StreamLimits {
  /** From the call until a connection is there and the request leaves by it. */
  connectMs: number;
  /** From then until the head of the answer. */
  firstByteMs: number;
  /** Between two pieces of the answer. It does not run while the reader holds the answer up. */
  idleMs: number;
}

/** Who reads a streamed answer. Either `onEnd` or `onFailure` comes last, exactly once, unless the reader aborts. */
export interface AnswerSink {
  /** The head: a status of 200 to 599 and the headers, their names in lower case. 3xx is not followed. */
  onHead(status: number, headers: IncomingHttpHeaders): void;
  /** A piece of the body as it came. False holds the answer up until `StreamControl.resume`. */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: StreamFailure): void;
}

/** Why a streamed answer ended before its end. */
export interface StreamFailure extends EgressError {
  /** A connection was there and the request may have left by it. False: the other side provably saw nothing of it. */
  sent: boolean;
}

/** The reader's hold on a streamed call. */
export interface StreamControl {
  /** Whether any of the request may have left. */
  readonly sent: boolean;
  /** Lets an answer go on that the sink held up. */
  resume(): void;
  /** Ends the call and closes its connection. The sink hears nothing more. */
  abort(): void;
}
