import { Menu } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';

/** Classes of pop-ups. */
export const POPUP = 'rounded-lg border border-line bg-surface text-ink shadow-popup outline-none';

interface MenuButtonProps {
  /** The button that opens the menu. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
}

/** A menu below a button. */
export function MenuButton({ trigger, children }: MenuButtonProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-40 outline-none">
          <Menu.Popup className={cx(POPUP, 'min-w-48 py-1')}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface MenuItemProps {
  icon?: LucideIcon;
  onClick: () => void;
  danger?: boolean;
  /** Whether this entry is selected. */
  chosen?: boolean;
  className?: string;
  children: ReactNode;
}

/** An action of a menu. */
export function MenuItem({ icon: Icon, onClick, danger = false, chosen = false, className, children }: MenuItemProps) {
  return (
    <Menu.Item
      onClick={onClick}
      aria-current={chosen || undefined}
      className={cx(
        'flex min-h-8 cursor-default items-center gap-2 px-3 outline-none select-none data-highlighted:bg-wash',
        danger && 'text-critical',
        chosen && 'font-semibold text-accent',
        className,
      )}
    >
      {Icon && <Icon size={14} strokeWidth={1.75} aria-hidden />}
      {children}
    </Menu.Item>
  );
}
