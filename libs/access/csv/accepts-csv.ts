/**
 * Whether an `Accept` header prefers CSV over JSON (RFC 9110, section 12.5.1). JSON is the default. CSV is preferred
 * only if the header gives it a higher weight than JSON, or the same weight and the first position.
 */
export function acceptsCsv(accept: string | undefined): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',').map(readRange);
  const csv = ranges.find(range => range.type === 'text/csv') ?? ranges.find(range => range.type === 'text/*');
  const json =
    ranges.find(range => range.type === 'application/json') ?? ranges.find(range => range.type === 'application/*');
  if (!csv || csv.quality === 0) return false;
  if (!json || csv.quality > json.quality) return true;
  return csv.quality === json.quality && ranges.indexOf(csv) < ranges.indexOf(json);
}

function readRange(part: string): { type: string; quality: number } {
  const [type = '', ...parameters] = part.split(';').map(text => text.trim());
  const stated = parameters.find(text => text.startsWith('q='));
  const quality = stated === undefined ? 1 : Number(stated.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}
