import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import type { ApiError } from '../data/api-error.ts';
import { Button } from './button.tsx';
import { Fault } from './fault.tsx';

interface AskProps {
  open: boolean;
  onClose: () => void;
  /** The question that the dialog asks: `Delete the policy “No exports”?` */
  title: string;
  /** Text that says what happens and what cannot be undone. It may contain fields. */
  children?: ReactNode;
  /** Label of the confirming button: `Delete policy`. Without it, the dialog can only be closed. */
  act?: string | undefined;
  danger?: boolean;
  /** Makes the dialog wide, for previews. */
  wide?: boolean;
  busy?: boolean;
  /** Whether the confirming button is disabled. */
  disabled?: boolean;
  error?: ApiError | null;
  onAct: () => void;
}

/**
 * Dialog that asks for confirmation or for input. When it closes, it returns the focus to the element that had it
 * before.
 */
export function Ask({
  open,
  onClose,
  title,
  children,
  act,
  danger = false,
  wide = false,
  busy = false,
  disabled = false,
  error,
  onAct,
}: AskProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={next => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 z-40 bg-veil" />
        <AlertDialog.Popup
          render={
            <form
              onSubmit={event => {
                event.preventDefault();
                if (!busy && act !== undefined) onAct();
              }}
            />
          }
          className="fixed top-[min(20vh,10rem)] left-1/2 z-50 flex max-h-[75vh] -translate-x-1/2 flex-col gap-4 rounded-lg border border-line bg-surface py-6 shadow-popup outline-none data-wide:w-[min(42rem,calc(100vw-2rem))] w-[min(30rem,calc(100vw-2rem))]"
          data-wide={wide || undefined}
        >
          <AlertDialog.Title className="px-6 text-lead font-semibold wrap-anywhere">{title}</AlertDialog.Title>
          <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-6 py-1 -my-1">
            {children}
            <Fault error={error} />
          </div>
          <div className="flex flex-wrap justify-end gap-2 px-6 pt-1">
            <AlertDialog.Close render={<Button>{act === undefined ? 'Close' : 'Cancel'}</Button>} />
            {act !== undefined && (
              <Button type="submit" kind={danger ? 'final' : 'primary'} busy={busy} disabled={disabled}>
                {act}
              </Button>
            )}
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
