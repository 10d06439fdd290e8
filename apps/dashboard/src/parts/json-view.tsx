/** A value of the API as formatted JSON. Long lines wrap, and the box scrolls. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- users without a mouse scroll a focused box by key
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded border border-line bg-sunken p-3 font-mono text-small break-all whitespace-pre-wrap"
    >
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
