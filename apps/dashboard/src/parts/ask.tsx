import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ReactNode } from 'react';
import type { ApiError } from '../data/api-error.ts';
import { Button } from './button.tsx';
import { Fault } from './fault.tsx';

interface AskProps {
  open: boolean;
  onClose: () => void;
  /** The question: `Delete the policy “No exports”?` */
  title: string;
  /** What happens, and what cannot be undone. Fields may stand here. */
  children?: ReactNode;
  /** The word of the answer: `Delete policy`. */
  act: string;
  danger?: boolean;
  busy?: boolean;
  /** Whether there is nothing to answer yet. */
  disabled?: boolean;
  error?: ApiError | null;
  onAct: () => void;
}

/** Asks before something that cannot be undone, or that needs a word with it. The focus returns where it was. */
export function Ask({
  open,
  onClose,
  title,
  children,
  act,
  danger = false,
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
                if (!busy) onAct();
              }}
            />
          }
          className="fixed top-[min(20vh,10rem)] left-1/2 z-50 flex max-h-[75vh] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-y-auto rounded-lg border border-line bg-surface p-6 shadow-popup outline-none"
        >
          <AlertDialog.Title className="text-lead font-semibold wrap-anywhere">{title}</AlertDialog.Title>
          <div className="flex flex-col gap-4">{children}</div>
          <Fault error={error} />
          <div className="flex flex-wrap justify-end gap-2 pt-1">
            <AlertDialog.Close render={<Button>Cancel</Button>} />
            <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
              {act}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
