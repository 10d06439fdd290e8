import { Toast } from '@base-ui/react/toast';
import { CircleCheck, X } from 'lucide-react';
import { POPUP } from './menu.tsx';
import { cx } from './cx.ts';
import { IconButton } from './button.tsx';

const manager = Toast.createToastManager();

/** Shows a toast after an action succeeded. Errors are shown beside the action instead. */
export function say(title: string, description?: string): void {
  manager.add({ title, ...(description !== undefined && { description }), timeout: 6_000 });
}

/**
 * The toasts: at the bottom beside the navigation, or at the top if a sheet takes the full width. They never cover the
 * buttons of a sheet: a person who presses a button twice would hit the toast.
 */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="fixed z-60 max-[84rem]:top-14 max-[84rem]:right-4 min-[84rem]:bottom-4 min-[84rem]:left-56 flex w-[min(22rem,calc(100vw-2rem))] flex-col gap-2 outline-none">
          <Toasted />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasted() {
  const { toasts } = Toast.useToastManager();
  return toasts.map(toast => (
    <Toast.Root key={toast.id} toast={toast} className={cx(POPUP, 'flex items-start gap-2 py-2 pr-1 pl-3')}>
      <CircleCheck size={16} aria-hidden className="mt-1.5 shrink-0 text-ok" />
      <Toast.Content className="min-w-0 flex-1 py-1">
        <Toast.Title className="line-clamp-2 font-medium break-words" />
        <Toast.Description className="text-small break-words text-muted" />
      </Toast.Content>
      <Toast.Close render={<IconButton icon={X} label="Dismiss" />} />
    </Toast.Root>
  ));
}
