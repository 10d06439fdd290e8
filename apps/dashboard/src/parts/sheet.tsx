import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useRef, type KeyboardEvent, type ReactNode } from 'react';
import { cx } from './cx.ts';
import { Button, IconButton } from './button.tsx';
import { tabStops } from './tab-stops.ts';

interface SheetProps {
  title: ReactNode;
  /** Kind of the object, shown above the title. */
  kind: string;
  /** Path of the page that lies below the sheet. */
  over: string;
  /** Buttons at the bottom of the sheet, which are always visible. */
  actions?: ReactNode;
  /** Makes the sheet wide, for forms and wide tables. */
  wide?: boolean;
  children: ReactNode;
}

/** Called to close a form without saving it. If the form has changes, {@link Unsaved} asks for confirmation first. */
export function SheetCancel() {
  return <Dialog.Close render={<Button kind="quiet">Cancel</Button>} />;
}

/**
 * Panel with details at the right of a page. It has an address of its own. The page below stays usable. Escape closes
 * the sheet.
 */
export function Sheet({ title, kind, over, actions, wide = false, children }: SheetProps) {
  const navigate = useNavigate();
  const popup = useRef<HTMLDivElement>(null);
  const close = (): void =>
    void navigate({ to: over, search: (previous: Record<string, string>) => previous, resetScroll: false });
  return (
    <Dialog.Root open modal={false} disablePointerDismissal onOpenChange={open => !open && close()}>
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          onKeyDown={event => leaveAtEnds(event, popup.current)}
          initialFocus={popup}
          finalFocus={() =>
            document.querySelector<HTMLElement>('[data-opened] a') ?? document.querySelector<HTMLElement>('h1')
          }
          className={cx(
            'fixed inset-y-0 right-0 z-30 flex w-full flex-col border-l border-line bg-surface shadow-popup outline-none transition-transform duration-100 data-starting-style:translate-x-4',
            wide ? 'sm:max-w-[46rem]' : 'sm:max-w-[35rem]',
          )}
        >
          <header className="flex items-start justify-between gap-4 border-b border-line px-6 pt-4 pb-3">
            <div className="min-w-0">
              <p className="label">{kind}</p>
              <Dialog.Title className="text-lead font-semibold wrap-anywhere">{title}</Dialog.Title>
            </div>
            <Dialog.Close render={<IconButton icon={X} label="Close" className="-mr-2" />} />
          </header>
          <section
            // A box that scrolls must be reachable by keyboard.
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            aria-label={kind}
            className="sheet-body flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto px-6 py-5 -outline-offset-2"
          >
            {children}
          </section>
          {actions !== undefined && (
            <footer className="flex flex-wrap items-center gap-2 border-t border-line bg-paper px-6 py-3 empty:hidden">
              {actions}
            </footer>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/**
 * At both ends of a sheet, moves the focus to the page. Without this, the dialog component would continue after the
 * place where it is rendered, which is in the middle of the sheet.
 */
function leaveAtEnds(event: KeyboardEvent, sheet: HTMLElement | null): void {
  if (event.key !== 'Tab' || sheet === null || !(event.target instanceof Node && sheet.contains(event.target))) return;
  const stops = tabStops(sheet);
  const isFirst = event.target === sheet || event.target === stops[0];
  const page = document.querySelector('#main');
  const next =
    event.shiftKey && isFirst && page
      ? tabStops(page).at(-1)
      : !event.shiftKey && event.target === stops.at(-1)
        ? document.querySelector<HTMLElement>('a[href="#main"]')
        : undefined;
  if (!next) return;
  event.preventDefault();
  next.focus();
}
