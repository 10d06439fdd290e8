import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';
import { Tip } from './tip.tsx';

const KINDS = {
  /** Style of the main action of a page or dialog. */
  primary: 'bg-accent text-on-accent border-accent hover:bg-accent-strong hover:border-accent-strong font-medium',
  plain: 'bg-surface text-ink border-line hover:border-control shadow-[0_1px_0_rgb(28_31_30/0.04)]',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-sunken hover:text-ink',
  /** Style of a button that opens the confirmation of an action that cannot be undone. */
  danger: 'bg-surface text-critical border-critical/50 hover:bg-critical-wash hover:border-critical font-medium',
  /** Style of a button that confirms an action that cannot be undone. */
  final: 'bg-danger text-on-danger border-danger hover:opacity-90 font-medium',
} as const;

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 rounded border whitespace-nowrap select-none transition-colors duration-100 disabled:opacity-55 aria-disabled:opacity-55';

/** Classes of a button. Links that look like buttons use them too. */
export function buttonClass(kind: keyof typeof KINDS = 'plain', isSmall = false): string {
  return cx(SHAPE, KINDS[kind], isSmall ? 'px-2 h-7 text-small' : 'px-3 h-8');
}

interface ButtonProps extends ComponentProps<'button'> {
  kind?: keyof typeof KINDS;
  small?: boolean;
  icon?: LucideIcon;
  /** Whether the action is running. The button shows this and ignores presses. */
  busy?: boolean;
  children: ReactNode;
}

/** A button with a text label. */
export function Button({
  kind,
  small = false,
  icon: Icon,
  busy = false,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || undefined}
      onClick={busy ? event => event.preventDefault() : onClick}
      className={cx(buttonClass(kind, small), className)}
    >
      {Icon && <Icon size={14} strokeWidth={1.75} aria-hidden />}
      {busy ? 'Working…' : children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: LucideIcon;
  /** The accessible name. It is also shown when the pointer is over the button or the button has the focus. */
  label: string;
}

/** A button with an icon only. */
export function IconButton({ icon: Icon, label, className, ...rest }: IconButtonProps) {
  return (
    <Tip text={label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={cx(SHAPE, KINDS.quiet, 'size-8 shrink-0', className)}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
      </button>
    </Tip>
  );
}
