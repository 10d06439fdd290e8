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
      title="Leave without saving?"
      act="Leave"
      danger
      onAct={() => blocker.proceed?.()}
    >
      <p>What you changed here is not saved.</p>
    </Ask>
  );
}
