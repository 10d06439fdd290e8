import { CLAUSES, titleOf } from './clauses.js';

/** The page that shows which test proves which clause. */
export function coverageDocument(titles: ReadonlyMap<string, readonly string[]>): string {
  const lines = [
    '# Coverage of the interface specification',
    '',
    'Made from the titles of the tests over HTTP, one for each clause; a clause without a test would be listed as a gap.',
    '',
  ];
  let proven = 0;
  let total = 0;
  // Uses a list, because an object would put integer keys first.
  const sections = Object.entries(CLAUSES).toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  for (const [section, clauses] of sections) {
    lines.push(`## ${section}`, '', '| Clause | Test |', '| --- | --- |');
    for (const clause of clauses) {
      const files = [...new Set(titles.get(titleOf(section, clause)) ?? [])].toSorted();
      total++;
      if (files.length > 0) proven++;
      lines.push(`| ${clause} | ${files.map(file => `\`${file}\``).join(', ') || '**gap**'} |`);
    }
    lines.push('');
  }
  lines.push(`${proven} of ${total} clauses are proven, ${total - proven} gaps.`, '');
  return lines.join('\n');
}
