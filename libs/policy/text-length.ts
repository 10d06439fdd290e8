/** Whether a text has more than `max` characters. Characters are Unicode code points, as PostgreSQL counts them. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > max * 2) return true;
  let codePoints = 0;
  for (const _ of text) codePoints++;
  return codePoints > max;
}
