/** Severity bars at the start of rows: `before:bg-…` for `DataTable`. */
const BARS: Record<string, string> = {
  critical: 'before:bg-critical',
  high: 'before:bg-high',
  failed: 'before:bg-critical',
};

/** The bar of a row with this severity. Only rows with an urgent severity have a bar. */
export function severityBar(severity: string): string | undefined {
  return BARS[severity];
}
