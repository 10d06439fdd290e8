const OFFSET_WITHOUT_COLON = /([+-]\d\d)(\d\d)$/;
const TIME = /^(19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Parses ISO 8601, also with a zone such as `+0000`. Undefined if the value is not a time. */
export function readTime(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replace(OFFSET_WITHOUT_COLON, '$1:$2');
  const time = new Date(TIME.test(text) ? text : NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
