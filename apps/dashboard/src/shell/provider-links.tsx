import { useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useEffect } from 'react';
import { SIGN_IN } from '../data/address.ts';
import { ME, providerAddress } from '../data/session.ts';
import { buttonClass } from '../parts/button.tsx';
import { cx } from '../parts/cx.ts';

/**
 * A link for each identity provider. With `inPlace`, a link opens in a new tab, so that the input on this page is not
 * lost. When the person returns with a session, this page continues.
 */
export function ProviderLinks({ inPlace, onDone }: { inPlace: boolean; onDone: () => void }) {
  const client = useQueryClient();
  useEffect(() => {
    if (!inPlace) return undefined;
    const look = (): void => {
      client.query({ ...ME, staleTime: 0 }).then(onDone, () => undefined);
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [client, inPlace, onDone]);
  return (
    <div className="flex flex-col gap-2">
      {SIGN_IN.providers.map((provider, at) => (
        <a
          key={provider.id}
          href={providerAddress(provider)}
          className={cx(buttonClass(at === 0 ? 'primary' : 'plain'), 'h-9 min-w-0')}
          {...(inPlace && { target: '_blank', rel: 'noreferrer' })}
        >
          <span className="truncate">Sign in with {provider.name}</span>
          {inPlace && <ExternalLink size={14} strokeWidth={1.75} aria-label="in a new tab" className="shrink-0" />}
        </a>
      ))}
      {inPlace && <p className="text-small text-muted">Sign in in the new tab, then come back to this one.</p>}
      {SIGN_IN.token && (
        <p className="flex items-center gap-3 text-small text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </p>
      )}
    </div>
  );
}
