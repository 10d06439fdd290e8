import type { EgressPurpose } from './addresses/allowed-targets.js';

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
