import type { IncomingHttpHeaders } from 'node:http';
import type { EgressPurpose } from './addresses/allowed-targets.js';
import type { JudgedTarget } from './judged-target.js';

/** Machine-readable cause of a failed call. */
export type EgressErrorCode =
  'timeout' | 'dns' | 'refused_address' | 'refused_url' | 'connect' | 'tls' | 'reset' | 'protocol' | 'aborted';

/** A failure: its code, and one sentence. The sentence contains no query, user info or headers of the request. */
export interface EgressError {
  code: EgressErrorCode;
  message: string;
}

/** One request. */
export interface EgressRequest {
  /** Purpose of the call. An entry of `egress.allow` may apply to one purpose only. */
  purpose: EgressPurpose;
  url: string;
  method: 'POST' | 'GET' | 'PUT' | 'PATCH';
  /**
   * Headers of the request. The client sets `host` and `accept-encoding`, and ignores values that the caller gives for
   * them.
   */
  headers: Record<string, string>;
  body?: Buffer;
  /**
   * Time limit from the name resolution to the end of the response, in milliseconds. Default: 10,000. Connecting is
   * limited to 10.5 s in any case.
   */
  timeoutMs?: number;
  /** Maximum number of bytes of the response's body that are kept. Default: 16,384. */
  maxBodyBytes?: number;
  /** Aborts the call, which then ends with `aborted`. */
  abort?: AbortSignal;
}

/** The result of a request. If it contains a status, the headers arrived in time, and there is no error. */
export interface EgressAnswer {
  /** Time from the call to the end of the response or the failure, in whole milliseconds. */
  durationMs: number;
  /** Status as received, 200 to 599. Redirects (3xx) are not followed. */
  status?: number;
  /** Headers with names in lower case. Repeated headers are joined with `, `. */
  headers: Record<string, string>;
  /** The beginning of the body, unchanged: nothing is decompressed or decoded. */
  body: Buffer;
  /** Whether the body was longer than the kept part, was cut off, or did not end in time. */
  truncated: boolean;
  /**
   * Whether the response may be shown to the person who configured the call. True if it came from a public address, or
   * from an address that an entry of `egress.allow` with this purpose allows.
   */
  mayShow: boolean;
  error?: EgressError;
  /**
   * Whether the request may have been sent, because a connection existed. If false, the other side has certainly
   * received nothing.
   */
  sent: boolean;
}

/** One request whose answer is streamed. */
export interface StreamRequest {
  /** The target that `EgressClient.judge` returned. */
  target: JudgedTarget;
  /** Path and query, beginning with a slash. */
  path: string;
  method: 'GET' | 'POST';
  /**
   * Headers as alternating names and values. The client sets `host` and `accept-encoding`, and ignores values that the
   * caller gives for them.
   */
  headers: readonly string[];
  body?: Uint8Array;
  limits: StreamLimits;
}

/** Time limits of the parts of a streamed call, in milliseconds. */
export interface StreamLimits {
  /** Time limit from the call until a connection is established and the request is sent. */
  connectMs: number;
  /** Time limit from the end of the request until the headers of the response. */
  firstByteMs: number;
  /** Time limit between two chunks of the response. The timer stops while the sink has paused the response. */
  idleMs: number;
}

/**
 * The consumer of a streamed response. The last call is either `onEnd` or `onFailure`, exactly once, unless the reader
 * aborts.
 */
export interface AnswerSink {
  /**
   * Called with the status (200 to 599) and the headers, whose names are in lower case. Redirects (3xx) are not
   * followed.
   */
  onHead(status: number, headers: IncomingHttpHeaders): void;
  /** A chunk of the body, unchanged. Return false to pause the response until `StreamControl.resume`. */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onFailure(failure: StreamFailure): void;
}

/** Why a streamed response ended early. */
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
  /** Resumes a response that the sink has paused. */
  resume(): void;
  /** Ends the call and closes its connection. The sink is not called again. */
  abort(): void;
}
