/** Bars of severity at the beginning of rows: `before:bg-…` for `DataTable`. */
const BARS: Record<string, string> = {
  critical: 'before:bg-critical',
  high: 'before:bg-high',
  failed: 'before:bg-critical',
};

/** The bar of a row of this severity; only what is urgent has one. */
export function severityBar(severity: string): string | undefined {
  return BARS[severity];
}
