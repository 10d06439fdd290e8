import { CircleAlert, Inbox, ListFilter, Lock, RotateCw } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ApiError } from '../data/api-error.ts';
import { Button } from './button.tsx';
import { CopyText } from './copy-text.tsx';

interface NoticeProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  role?: 'status' | 'alert';
  tone?: string;
}

/** Placeholder for missing content: an icon, a sentence and actions. */
function Notice({ icon: Icon, title, children, actions, role = 'status', tone = 'text-muted' }: NoticeProps) {
  return (
    <div role={role} className="flex flex-col items-start gap-3 py-10 sm:flex-row">
      <Icon size={20} strokeWidth={1.5} aria-hidden className={tone} />
      <div className="flex min-w-0 max-w-[65ch] flex-col gap-2">
        <p className="text-lead font-medium">{title}</p>
        {children !== undefined && <div className="text-muted">{children}</div>}
        {actions !== undefined && <div className="flex flex-wrap gap-2 pt-1">{actions}</div>}
      </div>
    </div>
  );
}

/** Placeholder of an empty list. Says what it will contain, and how to start. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <Notice icon={Inbox} title={title} actions={actions}>
      {children}
    </Notice>
  );
}

/** Placeholder of a list that is empty because of its filters. The filter bar above clears them. */
export function FilteredEmpty({ what, hasRange = false }: { what: string; hasRange?: boolean }) {
  return (
    <Notice icon={ListFilter} title={`No ${what} match these filters`}>
      {hasRange
        ? 'Choose a longer time range, or change or clear the filters above.'
        : 'Change or clear the filters above.'}
    </Notice>
  );
}

/** Error of a failed read: the server's message, the request id for support, and a retry button. */
export function Failure({ error, onRetry }: { error: ApiError; onRetry?: () => void }) {
  if (error.status === 403) return <Forbidden>{error.message}</Forbidden>;
  const title = error.status === 404 ? 'Not found' : 'Failed to load';
  return (
    <Notice
      icon={CircleAlert}
      role="alert"
      tone="text-critical"
      title={title}
      actions={
        onRetry && (
          <Button icon={RotateCw} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      <p>{error.message}</p>
      {error.requestId !== undefined && (
        <p className="flex flex-wrap items-center gap-x-1 text-small">
          Request <CopyText text={error.requestId} what="request ID" />
        </p>
      )}
    </Notice>
  );
}

/** Placeholder for a person without the permission. Names the permission that is missing. */
export function Forbidden({ children, actions }: { children?: ReactNode; actions?: ReactNode }) {
  return (
    <Notice icon={Lock} title="No access" actions={actions}>
      {children ?? 'Your role does not include this permission.'} Ask an administrator for access.
    </Notice>
  );
}

/** Grey placeholder lines that are shown until the first answer arrives. */
export function Skeleton({ lines = 8, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <output aria-label={label} className="flex flex-col">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="flex h-9 items-center gap-6 border-b border-line">
          <span className="skeleton h-3 w-16" />
          <span className={`skeleton h-3 ${['w-2/5', 'w-1/3', 'w-1/2'][line % 3]}`} />
          <span className="skeleton ml-auto h-3 w-20" />
        </span>
      ))}
    </output>
  );
}
