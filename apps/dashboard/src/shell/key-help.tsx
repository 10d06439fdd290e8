import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef } from 'react';
import { IconButton } from '../parts/button.tsx';
import { KEYS } from './keys.ts';
import { PAGES } from './page-table.ts';

/** The list of keyboard shortcuts. */
export function KeyHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={next => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          className="fixed top-[12vh] left-1/2 z-50 max-h-[76vh] w-[min(44rem,calc(100vw-2rem))] -translate-x-1/2 overflow-y-auto rounded-lg border border-line bg-surface p-6 shadow-popup outline-none"
        >
          <div className="flex items-center justify-between pb-3">
            <Dialog.Title className="text-lead font-semibold">Keyboard shortcuts</Dialog.Title>
            <Dialog.Close render={<IconButton icon={X} label="Close" />} />
          </div>
          <div className="grid gap-x-10 gap-y-1 sm:grid-cols-2">
            <KeyList title="General" keys={KEYS} />
            <KeyList title="Go to" keys={PAGES.map(({ key, title }) => [`g ${key}`, title] as const)} />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3 className="label border-b border-line pb-1">{title}</h3>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key} className="flex min-h-7 items-baseline justify-between gap-4 pt-1">
            <dt className="order-2">
              {key.split(' ').map(part =>
                part === 'or' || part === 'and' ? (
                  <span key={part} className="px-1 text-small text-muted">
                    {part}
                  </span>
                ) : (
                  <kbd key={part} className="ml-0.5 rounded border border-line bg-sunken px-1.5 font-mono text-small">
                    {part}
                  </kbd>
                ),
              )}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
