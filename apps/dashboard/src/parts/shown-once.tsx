import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyText } from './copy-text.tsx';

interface ShownOnceProps {
  /** Name of the secret: `signing secret`. */
  what: string;
  secret: string;
  /** Instructions what the person should do with the secret. */
  children?: ReactNode;
}

/** A secret that the server shows only this once. It is never stored in the address or in the browser. */
export function ShownOnce({ what, secret, children }: ShownOnceProps) {
  return (
    <section aria-label={`New ${what}`} className="flex flex-col gap-2 border-l-2 border-accent bg-wash px-3 py-3">
      <p className="flex items-center gap-1.5 font-medium">
        <KeyRound size={14} aria-hidden className="shrink-0 text-accent" />
        Copy the {what} now. You will not see it again.
      </p>
      <CopyText text={secret} what={what} />
      {children !== undefined && <div className="text-muted">{children}</div>}
    </section>
  );
}
