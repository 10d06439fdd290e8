import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { lastInput, untoldInput } from '../data/activity.ts';
import { ApiError } from '../data/api-error.ts';
import { useMe } from '../data/scopes.ts';
import { ME, stay, type Me } from '../data/session.ts';
import { Button } from '../parts/button.tsx';
import { ended, useEnded } from './ended.ts';
import { SignInForm } from './sign-in.tsx';

const POPUP =
  'fixed top-[18vh] left-1/2 z-60 flex w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 rounded-lg border border-line bg-surface p-6 shadow-popup outline-none';

/** Dialog to sign in again after the session has ended. Input on the page is kept. */
export function SignInAgain({ open, onDone }: { open: boolean; onDone: () => void }) {
  return (
    <Dialog.Root open={open} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-50 bg-veil" />
        <Dialog.Popup className={POPUP}>
          <Dialog.Title className="text-lead font-semibold">Your session has ended</Dialog.Title>
          <Dialog.Description className="text-muted">
            Sign in again to continue on this page. Your input is kept.
          </Dialog.Description>
          <SignInForm onDone={onDone} inPlace />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Milliseconds before the end of the session at which the warning appears. */
const WARN = 120_000;

/** Milliseconds without input after which the server ends a session. */
const IDLE = 30 * 60_000;

/** Milliseconds between two requests while the server has not answered whether the session continues. */
const ASK_EVERY = 10_000;

/** Records that the session has ended, if the error says so. Other errors say nothing about the session. */
function noteEnd(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) ended(true);
}

/**
 * Warns two minutes before an idle session ends. When the time is over, asks the server, because there may have been
 * input in another tab. The page says that the session has ended only after the server has confirmed it.
 */
export function IdleWarning() {
  const { session, now } = useMe();
  const hasEnded = useEnded();
  return session === null || hasEnded ? null : <Countdown session={session} now={now} />;
}

function Countdown({ session, now }: { session: NonNullable<Me['session']>; now: string }) {
  const client = useQueryClient();
  const [left, setLeft] = useState(Number.POSITIVE_INFINITY);
  useEffect(() => {
    // The time of the server is used, because the clock of this machine may differ.
    const ahead = new Date(now).getTime() - Date.now();
    const idleAt = new Date(session.idle_at).getTime() - ahead;
    const expiresAt = new Date(session.expires_at).getTime() - ahead;
    let askedAt = 0;
    const look = (): void => {
      if (untoldInput() !== undefined) stay().catch(noteEnd);
      const rest = Math.min(Math.max(lastInput() + IDLE, idleAt), expiresAt) - Date.now();
      setLeft(rest);
      if (rest > 0 || Date.now() - askedAt < ASK_EVERY) return;
      askedAt = Date.now();
      client.query({ ...ME, staleTime: 0 }).catch(noteEnd);
    };
    look();
    const timer = setInterval(look, 1_000);
    // In a hidden page, timers run late or not at all, so the page checks again when it becomes visible.
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [client, session, now]);
  const isOpen = left < WARN;
  const goOn = (): void => {
    setLeft(Number.POSITIVE_INFINITY);
    stay().catch(noteEnd);
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
