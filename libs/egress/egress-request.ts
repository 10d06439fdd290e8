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
  /** Purpose of the call. Entries of `egress.allow` may apply to one purpose only. */
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

/** The result of a request. If it has a status, the headers arrived in time and there is no error. */
export interface EgressAnswer {
  /** From the call to this answer, in whole milliseconds. */
  durationMs: number;
  /** 200 to 599 as sent; 3xx is not followed. */
  status?: number;
  /** Names in lower case; repeated ones joined by `, `. */
  headers: Record<string, string>;
  /** The beginning of the body as it came: nothing is decompressed or decoded. */
  body: Buffer;
  /** The body was longer, was cut off, or did not end in time. */
  truncated: boolean;
  /**
   * The answer may be shown: it came from a public address, or from one that `egress.allow` names for this purpose.
   * False: do not show the answer to the person who configured the call.
   */
  mayShow: boolean;
  error?: EgressError;
  /** A connection existed, so the request may have been sent. False: the other side certainly received nothing. */
  sent: boolean;
}

/** One request whose answer is streamed. */
export interface StreamRequest {
  /** The target, as checked by `EgressClient.judge`. */
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

/**
 * The consumer of a streamed answer. Either `onEnd` or `onFailure` is called last, exactly once, unless the reader
 * aborts.
 */
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
  /** A connection existed, so the request may have been sent. False: the other side certainly received nothing. */
  sent: boolean;
}

/** The reader's hold on a streamed call. */
export interface StreamControl {
  /** Whether any of the request may have left. */
  readonly sent: boolean;
  /** Resumes an answer that the sink paused. */
  resume(): void;
  /** Ends the call and closes its connection. The sink hears nothing more. */
  abort(): void;
}
