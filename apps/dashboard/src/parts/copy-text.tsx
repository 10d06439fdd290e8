import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { cx } from './cx.ts';

interface CopyTextProps {
  text: string;
  /** Name of the text's kind, for the accessible name: `incident id`. */
  what: string;
  /** Whether only the first characters are shown. The whole text is copied in any case. */
  short?: boolean;
  /** Whether the text is truncated if the line has no room for it. The whole text is copied in any case. */
  cut?: boolean;
  className?: string;
}

/** An id, an address or a secret. Pressing it copies it. */
export function CopyText({ text, what, short = false, cut = false, className }: CopyTextProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const shown = short ? `${text.slice(0, 8)}…${text.slice(-4)}` : text;
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={isCopied ? `Copied ${what}` : `Copy ${what} ${shown}`}
      className={cx(
        'group inline-flex min-h-6 max-w-[calc(100%+0.5rem)] items-center gap-1.5 rounded px-1 -mx-1 font-mono text-small hover:bg-sunken',
        className,
      )}
    >
      <span title={cut || short ? text : undefined} className={cx('min-w-0 text-left', cut ? 'truncate' : 'break-all')}>
        {shown}
      </span>
      <Icon size={12} aria-hidden className={cx('shrink-0', isCopied ? 'text-ok' : 'text-muted')} />
    </button>
  );
}
