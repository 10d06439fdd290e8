import type { EgressClient } from '#egress';
import { AuditSink, type AuditRecord } from './audit-sink.port.js';

/** Settings of a collector. */
export interface HttpSinkOptions {
  readonly name: string;
  readonly url: string;
  readonly format: 'ndjson' | 'json';
  /** Headers that authenticate the requests. They contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Timeout of one batch in milliseconds. It is shorter than the timeout of the stream. */
const TIMEOUT_MS = 25_000;

const TYPES = { ndjson: 'application/x-ndjson', json: 'application/json' } as const;

/** Sends batches to a collector by POST. A response with 2xx means that the batch is accepted. */
export class HttpSink extends AuditSink {
  override readonly name: string;

  constructor(
    private readonly egress: EgressClient,
    private readonly options: HttpSinkOptions,
  ) {
    super();
    this.name = options.name;
  }

  override async write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const { url, format, headers } = this.options;
    const { status, error } = await this.egress.send({
      purpose: 'audit',
      url,
      method: 'POST',
      headers: { ...headers, 'content-type': TYPES[format], 'user-agent': 'nest-llm-governance' },
      body: Buffer.from(bodyOf(records, format), 'utf8'),
      timeoutMs: TIMEOUT_MS,
      // The body of the response is not read, because it might repeat the request.
      maxBodyBytes: 0,
      abort: signal,
    });
    if (status === undefined) throw new Error(error?.message ?? 'The collector did not answer.');
    if (status < 200 || status > 299) throw new Error(`The collector answered ${status}.`);
  }
}

function bodyOf(records: readonly AuditRecord[], format: HttpSinkOptions['format']): string {
  if (format === 'json') return JSON.stringify(records.map(({ event }) => event));
  return records.map(({ event }) => `${JSON.stringify(event)}\n`).join('');
}
