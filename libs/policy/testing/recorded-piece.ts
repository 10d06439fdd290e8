import { createHash } from 'node:crypto';
import { RecordPiece } from '../simulation/record-piece.js';

/** The id of the decision at a position in a chunk of {@link pieceOf}. */
export function idAt(place: number): string {
  return `0199c2a8-6b1e-7000-8000-${place.toString(16).padStart(12, '0')}`;
}

/**
 * A chunk of decisions with these requests, in the form in which the scan reads it. With `whole`, it contains the
 * requests.
 */
export function pieceOf(texts: readonly string[], { whole = false, firstId = 0 } = {}): RecordPiece {
  const heads = texts.map((text, place) => {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return idAt(firstId + place) + digest + Buffer.byteLength(text).toString(16).padStart(8, '0');
  });
  return new RecordPiece([{ heads: heads.join(''), ...(whole && { requests: texts.join('\n') }) }]);
}
