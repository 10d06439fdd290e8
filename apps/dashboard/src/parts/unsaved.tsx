import { useBlocker } from '@tanstack/react-router';
import { Ask } from './ask.tsx';

/**
 * Asks for confirmation before unsaved input is lost by navigation, Escape or the browser's buttons. `isDirty` is
 * called only at that moment, because a form navigates away right after it was saved.
 */
export function Unsaved({ isDirty }: { isDirty: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Ask
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Discard changes?"
      act="Discard"
      danger
      onAct={() => blocker.proceed?.()}
    >
      <p>Your changes are not saved.</p>
    </Ask>
  );
}
