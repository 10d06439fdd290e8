/**
 * An e-mail address in a list. Most rows have the same domain. Therefore, the domain is muted, and on narrow screens it
 * is only in the tooltip.
 */
export function Email({ of }: { of: string }) {
  const at = of.lastIndexOf('@');
  if (at < 1) return <bdi>{of}</bdi>;
  return (
    <bdi title={of}>
      {of.slice(0, at)}
      <span className="text-muted max-md:sr-only">{of.slice(at)}</span>
    </bdi>
  );
}
