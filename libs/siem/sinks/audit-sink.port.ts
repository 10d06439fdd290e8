import type { JsonObject } from '#core';

/** A record for a SIEM. */
export interface AuditRecord {
  /** `metadata.uid` of the event. It is the same if the record is sent again. */
  readonly uid: string;
  /** The organization; null for security events without a known organization. */
  readonly orgId: string | null;
  readonly at: Date;
  /** Whether the sink may already have received the record. */
  readonly mayBeRepeated: boolean;
  /** The event in the format of OCSF. */
  readonly event: JsonObject;
}

/** Sends records to a SIEM. A host can provide its own implementation with the option `auditSink`. */
export abstract class AuditSink {
  /**
   * Name of the stream, under which its positions are stored: 1 to 40 characters of `a-z`, `0-9`, `-` and `_`. After a
   * change of the name, the stream begins again at the first row of the audit log.
   */
  abstract readonly name: string;

  /**
   * Accepts a batch of one organization: 1 to 500 records in order. Resolve once the batch is stored or acknowledged;
   * the stream then continues with the next batch. For each organization, only one process calls this at a time.
   * Batches of different organizations may overlap. If the batch was not accepted, or this is unknown, throw an error
   * whose message contains no secrets. The same records are then sent again after 1, 5, 30 and then every 300 seconds,
   * with `mayBeRepeated`. They are also sent again after a crash between your acceptance and our commit. Store records
   * by `uid` to have each record once.
   * @param signal aborts after 30 seconds; a batch that is not accepted by then has failed
   */
  abstract write(records: readonly AuditRecord[], signal: AbortSignal): Promise<void>;
}

/** Used if no sink is configured: nothing is streamed. */
export class NoAuditSink extends AuditSink {
  override readonly name = 'none';

  override async write(): Promise<void> {}
}

/** Whether a sink is configured. */
export function isSet(sink: AuditSink): boolean {
  return !(sink instanceof NoAuditSink);
}
