/** A value of the API as formatted JSON. Long lines wrap. The box scrolls, and can be focused so that the keyboard scrolls it. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return (
    <pre
      // The keyboard scrolls only what has the focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-label={label}
      className="max-h-96 overflow-auto rounded border border-line bg-sunken p-3 font-mono text-small break-all whitespace-pre-wrap"
    >
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}
