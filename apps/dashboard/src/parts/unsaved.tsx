import { useBlocker } from '@tanstack/react-router';
import { Ask } from './ask.tsx';

/**
 * Asks before what was typed is thrown away: by another page, Escape or the browser's own buttons. `isDirty` is asked at
 * that moment, because a form leaves by itself in the same moment in which it was saved.
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
