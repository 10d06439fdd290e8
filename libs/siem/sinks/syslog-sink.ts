import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { AuditSink, type AuditRecord } from './audit-sink.port.js';
import { syslogFrame } from './syslog-message.js';
import type { SyslogTarget } from './syslog-target.js';

/** Settings of a syslog server. */
export interface SyslogOptions {
  readonly name: string;
  readonly target: SyslogTarget;
  /** Certificates of authorities in PEM. Default: the authorities of Node.js. */
  readonly ca?: string | undefined;
}

/**
 * Sends records to a syslog server: RFC 5424 over TCP with octet counting (RFC 6587), or over TLS (RFC 5425). Syslog
 * has no acknowledgments. Each batch therefore has its own connection. A server closes the connection after it has read
 * everything. The batch counts as accepted when this happens.
 */
export class SyslogSink extends AuditSink {
  override readonly name: string;

  constructor(private readonly options: SyslogOptions) {
    super();
    this.name = options.name;
  }

  override async write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const host = hostname();
    const bytes = Buffer.concat(records.map(record => syslogFrame(record, host, process.pid)));
    await deliver(this.open(), bytes, signal);
  }

  private open(): Socket {
    const { target, ca } = this.options;
    const { host, port } = target;
    if (!target.isTls) return connect({ host, port });
    const verified = ca === undefined ? {} : { ca };
    // SNI is not sent for IP addresses.
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ host, port, minVersion: 'TLSv1.2', ...name, ...verified });
  }
}

/** Resolves once the peer has closed the connection after all bytes. */
function deliver(socket: Socket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let isWritten = false;
    let hasPeerEnded = false;
    const abort = (): void => void socket.destroy(new Error('The syslog server did not read everything in time.'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', reject);
    socket.once('end', () => {
      hasPeerEnded = true;
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      if (isWritten && hasPeerEnded) resolve();
      else reject(new Error('The syslog server closed the connection before it had read everything.'));
    });
    // Data from the server is discarded, because the protocol has no responses.
    socket.resume();
    socket.end(bytes, () => {
      isWritten = true;
    });
    if (signal.aborted) abort();
  });
}
