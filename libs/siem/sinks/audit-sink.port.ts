import type { JsonObject } from '#core';

/** A record for a SIEM. */
export interface AuditRecord {
  /** `metadata.uid` of the event: the same for each repetition. */
  readonly uid: string;
  /** The organization; null for security events without a known organization. */
  readonly orgId: string | null;
  readonly at: Date;
  /** Whether the sink may already have the record. */
  readonly mayBeRepeated: boolean;
  /** The event in OCSF. */
  readonly event: JsonObject;
}

/** Sends records to a SIEM. A host passes its own implementation as the option `auditSink`. */
export abstract class AuditSink {
  /**
   * Name under which positions are kept, 1 to 40 characters of `a-z`, `0-9`, `-` and `_`. Under a new name, the stream
   * begins at the first row of the audit log.
   */
  abstract readonly name: string;

  /**
   * Accepts a batch of one organization: 1 to 500 records in order. Resolve once it is stored or acknowledged; the
   * stream then continues after it. One process at a time calls this for an organization; batches of different
   * organizations may overlap.
   * Throw an error without secrets in its message if the batch was not accepted, or if that is unknown. The same
   * records are then sent again after 1, 5, 30 and then every 300 seconds, with `mayBeRepeated`. They are also sent
   * again after a crash between your acceptance and our commit. Store records by `uid` to have each once.
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
