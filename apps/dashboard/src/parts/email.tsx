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

/** A text of a list, such as a title, with each email address in it as {@link Email}. */
export function WithEmails({ text }: { text: string }) {
  // Every second part is an address.
  const parts = text.split(/([^\s@<>(),;:"“”]+@[^\s@<>(),;:"“”]*[^\s@<>(),;:"“”.])/);
  // oxlint-disable-next-line react/no-array-index-key -- the parts of a text have no id except their index
  return <bdi>{parts.map((part, index) => (index % 2 === 0 ? part : <Email key={index} of={part} />))}</bdi>;
}
