import type { IncomingHttpHeaders } from 'node:http';
import type { EgressPurpose } from './addresses/allowed-targets.js';
import type { JudgedTarget } from './judged-target.js';

/** Machine-readable cause of a failed call. */
export type EgressErrorCode =
  'timeout' | 'dns' | 'refused_address' | 'refused_url' | 'connect' | 'tls' | 'reset' | 'protocol' | 'aborted';

/** A failure: its code, and one sentence without query, user info or headers of the request. */
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
  /** `host` and `accept-encoding` are set by the client; those of the caller are ignored. */
  headers: Record<string, string>;
  body?: Buffer;
  /**
   * Time limit from the name resolution to the end of the answer, in milliseconds. Default: 10,000. A connection that
   * is not established after 10.5 s always ends the call.
   */
  timeoutMs?: number;
  /** How many bytes of the answer's body are kept. Default: 16,384. */
  maxBodyBytes?: number;
  /** Ends the call with `aborted`. */
  abort?: AbortSignal;
}

/** The result of a request. If it has a status, the headers arrived in time and there is no error. */
export interface EgressAnswer {
  /** Time from the call to this answer, in whole milliseconds. */
  durationMs: number;
  /** 200 to 599, as sent. Redirects (3xx) are not followed. */
  status?: number;
  /** Names in lower case; repeated headers are joined with `, `. */
  headers: Record<string, string>;
  /** The beginning of the body, unchanged: nothing is decompressed or decoded. */
  body: Buffer;
  /** Whether the body was longer, was cut off, or did not end in time. */
  truncated: boolean;
  /**
   * Whether the answer may be shown to the person who configured the call. True if it came from a public address, or
   * from one that `egress.allow` names for this purpose.
   */
  mayShow: boolean;
  error?: EgressError;
  /**
   * Whether the request may have been sent, because a connection existed. If false, the other side certainly received
   * nothing.
   */
  sent: boolean;
}

/** One request whose answer is streamed. */
export interface StreamRequest {
  /** The target, from `EgressClient.judge`. */
  target: JudgedTarget;
  /** Path and query, beginning with a slash. */
  path: string;
  method: 'GET' | 'POST';
  /**
   * Names and values alternate. `host` and `accept-encoding` are set by the client; those of the caller are ignored.
   */
  headers: readonly string[];
  body?: Uint8Array;
  limits: StreamLimits;
}

/** Time limits of the parts of a streamed call, in milliseconds. */
export interface StreamLimits {
  /** Time limit from the call until the request is sent on a connection. */
  connectMs: number;
  /** Time limit from the end of the request until the headers of the answer. */
  firstByteMs: number;
  /** Time limit between two chunks of the answer. Stops while the sink has paused the answer. */
  idleMs: number;
}

/**
 * The consumer of a streamed answer. Either `onEnd` or `onFailure` is called last, exactly once, unless the reader
 * aborts.
 */
export interface AnswerSink {
  /** Status 200 to 599 and headers, with names in lower case. Redirects (3xx) are not followed. */
  onHead(status: number, headers: IncomingHttpHeaders): void;
  /** A chunk of the body, unchanged. Return false to pause the answer until `StreamControl.resume`. */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: StreamFailure): void;
}

/** Why a streamed answer ended early. */
export interface StreamFailure extends EgressError {
  /**
   * Whether the request may have been sent, because a connection existed. If false, the other side certainly received
   * nothing.
   */
  sent: boolean;
}

/** Controls a streamed call. */
export interface StreamControl {
  /** Whether any part of the request may have been sent. */
  readonly sent: boolean;
  /** Resumes an answer that the sink paused. */
  resume(): void;
  /** Ends the call and closes its connection. The sink is not called again. */
  abort(): void;
}
