import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useState } from 'react';
import { lastInput, untoldInput } from '../data/activity.ts';
import { useMe } from '../data/scopes.ts';
import { stay } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { SignInForm } from './sign-in.tsx';

const POPUP =
  'fixed top-[18vh] left-1/2 z-60 flex w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 rounded-lg border border-line bg-surface p-6 shadow-popup outline-none';

/** The session ended while the page is open: signs in again in place. What was typed stays. */
export function SignInAgain({ open, onDone }: { open: boolean; onDone: () => void }) {
  return (
    <Dialog.Root open={open} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-veil" />
        <Dialog.Popup className={POPUP}>
          <Dialog.Title className="text-lead font-semibold">Your session has ended</Dialog.Title>
          <Dialog.Description className="text-muted">Sign in again to continue. Your input is kept.</Dialog.Description>
          <SignInForm onDone={onDone} inPlace />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Time before the end in which the page warns, in milliseconds. */
const WARN = 120_000;

/** Time without input after which the server ends a session, in milliseconds. */
const IDLE = 30 * 60_000;

/** Warns two minutes before an idle session ends. */
export function IdleWarning() {
  const { session, now } = useMe();
  const [left, setLeft] = useState(Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (session === null) return undefined;
    // In the server's time: the clock of this machine may be another.
    const ahead = new Date(now).getTime() - Date.now();
    const idleAt = new Date(session.idle_at).getTime() - ahead;
    const expiresAt = new Date(session.expires_at).getTime() - ahead;
    const timer = setInterval(() => {
      if (untoldInput() !== undefined) void stay();
      setLeft(Math.min(Math.max(lastInput() + IDLE, idleAt), expiresAt) - Date.now());
    }, 1_000);
    return () => clearInterval(timer);
  }, [session, now]);
  const isOpen = left < WARN && left > 0;
  const goOn = (): void => {
    setLeft(Number.POSITIVE_INFINITY);
    void stay();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={open => !open && goOn()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-veil" />
        <Dialog.Popup className={POPUP}>
          <Dialog.Title className="text-lead font-semibold">Are you still there?</Dialog.Title>
          <Dialog.Description className="text-muted">
            Your session ends in <span className="tabular-nums">{Math.max(0, Math.ceil(left / 1_000))}</span> seconds of
            inactivity.
          </Dialog.Description>
          <Button kind="primary" onClick={goOn}>
            Stay signed in
          </Button>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
