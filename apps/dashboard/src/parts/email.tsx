/** An email address in a list. Most rows share the domain, so it is muted, and narrow screens show only its tooltip. */
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
