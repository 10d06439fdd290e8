import { SCHEMA } from '#database';

/** Backlog of the SIEM stream that was used most recently. */
export interface StreamBacklog {
  readonly stream: string;
  readonly waiting: number;
  readonly oldest_seconds: number;
  /** Number of organizations whose last batch was rejected. */
  readonly failing: number;
  readonly fault: string | null;
}

/** Reads a {@link StreamBacklog}. Returns no row if no stream was ever used. */
export const STREAM_BACKLOG = `
select stream, waiting, oldest_seconds, failing, fault from ${SCHEMA}.siem_backlog(null)`;

/** Age in seconds. If records wait longer, the finding is a warning. */
const LATE_SECONDS = 900;

/** The finding about a stream. It is never more than a warning, because the app works while the SIEM is unreachable. */
export function streamFinding({ stream, waiting, oldest_seconds: age, failing, fault }: StreamBacklog): {
  ok: true;
  seen: string;
  remedy?: string;
} {
  const waits = waiting === 0 ? 'nothing waits' : `${waiting} wait, the oldest for ${Math.floor(age / 60)} min`;
  const seen = `${stream}: ${waits}${failing > 0 && fault !== null ? `; last fault: ${fault}` : ''}`;
  if (failing === 0 && age < LATE_SECONDS) return { ok: true, seen };
  const remedy =
    'Nothing is lost: records are sent once the SIEM accepts them. Mend what the fault names, or start a replica with ' +
    'GOVERNANCE_WORKERS=true ("If records wait" in docs/siem.md).';
  return { ok: true, seen, remedy };
}
