import { isErrorLike, type ErrorLike } from '#core';
import { EgressRefusedError, NameUnresolvedError } from './egress.errors.js';
import type { EgressError, EgressErrorCode } from './egress-request.js';

/** Failures by error code. All codes come from Node or undici. */
const KNOWN: ReadonlyMap<string, readonly [EgressErrorCode, string]> = new Map(
  Object.entries<readonly [EgressErrorCode, string]>({
    ECONNREFUSED: ['connect', 'The endpoint refused the connection.'],
    EHOSTUNREACH: ['connect', 'The endpoint’s host cannot be reached.'],
    ENETUNREACH: ['connect', 'The endpoint’s network cannot be reached.'],
    ETIMEDOUT: ['connect', 'None of the endpoint’s addresses accepted a connection.'],
    ECONNRESET: ['reset', 'The endpoint closed the connection before it answered.'],
    EPIPE: ['reset', 'The endpoint closed the connection before it answered.'],
    UND_ERR_SOCKET: ['reset', 'The endpoint closed the connection before it answered.'],
    UND_ERR_INFO: ['reset', 'The endpoint closed the connection before it answered.'],
    UND_ERR_HEADERS_OVERFLOW: ['protocol', 'The headers of the answer are larger than 16 KiB.'],
    UND_ERR_INVALID_ARG: ['protocol', 'The request has a header that HTTP does not allow.'],
    UND_ERR_CONNECT_TIMEOUT: ['timeout', 'The connection was not established in time.'],
    UND_ERR_DESTROYED: ['aborted', 'The call was aborted by this service.'],
    UND_ERR_CLOSED: ['aborted', 'The call was aborted by this service.'],
    CERT_HAS_EXPIRED: ['tls', 'The endpoint’s certificate has expired.'],
    CERT_NOT_YET_VALID: ['tls', 'The endpoint’s certificate is not valid yet.'],
    ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'The endpoint’s certificate is for another host.'],
    DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'The endpoint’s certificate is self-signed.'],
    SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'The endpoint’s certificate comes from an authority that is not trusted.'],
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
      'tls',
      'The endpoint’s certificate comes from an authority that is not trusted.',
    ],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
      'tls',
      'The endpoint’s certificate comes without the chain to a trusted authority.',
    ],
    ERR_SSL_WRONG_VERSION_NUMBER: ['tls', 'The endpoint does not speak TLS on this port.'],
    ERR_SSL_PACKET_LENGTH_TOO_LONG: ['tls', 'The endpoint does not speak TLS on this port.'],
  }),
);

const TLS = /^(ERR_(TLS|SSL|OSSL)_|EPROTO$)|CERT|SIGNATURE|CRL|ISSUER|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

/** Messages of undici for invalid HTTP responses. Their code is the same as for a broken socket. */
const UNEXPECTED_ANSWER = new Set(['bad response', 'bad upgrade']);

/** Names of undici's errors that have no code. */
const NOT_HTTP = new Set(['HTTPParserError', 'ResponseContentLengthMismatchError']);

/**
 * Classifies an error. Messages of other libraries are not passed on, because they may contain addresses, headers or
 * parts of the answer.
 */
export function classifyFailure(thrown: unknown): EgressError {
  if (thrown instanceof EgressRefusedError) return { code: thrown.reason, message: thrown.message };
  if (thrown instanceof NameUnresolvedError) return { code: 'dns', message: thrown.message };
  const error: (ErrorLike & { name?: unknown }) | undefined = isErrorLike(thrown) ? thrown : undefined;
  const code = typeof error?.code === 'string' ? error.code : 'unknown';
  if (code === 'UND_ERR_SOCKET' && UNEXPECTED_ANSWER.has(error?.message ?? '')) {
    return { code: 'protocol', message: 'The endpoint sent 100 Continue, 101 or an answer that nobody asked for.' };
  }
  // If this error has a cause, it is no timeout: all addresses were tried and failed.
  const known = KNOWN.get(code === 'UND_ERR_CONNECT_TIMEOUT' && error?.cause ? 'ETIMEDOUT' : code);
  if (known) return { code: known[0], message: known[1] };
  if (NOT_HTTP.has(String(error?.name))) return { code: 'protocol', message: 'The endpoint’s answer is not HTTP/1.1.' };
  if (TLS.test(code)) return { code: 'tls', message: `A secure connection could not be established (${code}).` };
  return { code: 'connect', message: `The endpoint could not be called (${code}).` };
}
