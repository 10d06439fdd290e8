/** A syslog server. */
export interface SyslogTarget {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Standard ports (IANA): syslog over TLS (RFC 5425) and over TCP (RFC 6587). */
const PORTS = new Map([
  ['tls:', 6514],
  ['tcp:', 601],
]);

/**
 * Parses `tls://host:port`.
 * @throws Error with the expected format; it does not repeat the text
 */
export function readSyslogTarget(text: string): SyslogTarget {
  const url = URL.parse(text);
  const usual = PORTS.get(url?.protocol ?? '');
  const isPlain = url !== null && url.username === '' && url.search === '' && /^\/?$/.test(url.pathname);
  if (!url || usual === undefined || !isPlain || url.hostname === '') {
    throw new Error('must be tls://host:port or tcp://host:port, such as tls://siem.example.com:6514');
  }
  const port = url.port === '' ? usual : Number(url.port);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, isTls: url.protocol === 'tls:' };
}
