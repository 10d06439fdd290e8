/** The logo: lines of a ledger, one of them with a dot. */
export function LedgerMark({ size = 16 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden className="text-accent">
      <path d="M2 3.5h12M2 8h8M2 12.5h10" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" />
      <circle cx="13.25" cy="8" r="1.5" fill="var(--series-2)" />
    </svg>
  );
}
