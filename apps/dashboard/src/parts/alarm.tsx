import type { ReactNode } from 'react';

interface AlarmProps {
  /** One sentence that says what does not work, and since when. */
  title: ReactNode;
  /** The cause, and what to do. */
  children?: ReactNode;
}

/** A box that says that something does not work, and why. */
export function Alarm({ title, children }: AlarmProps) {
  return (
    <div role="status" className="flex flex-col gap-1 border-l-2 border-critical bg-critical-wash px-3 py-2">
      <p className="font-medium text-critical">{title}</p>
      {children}
    </div>
  );
}
