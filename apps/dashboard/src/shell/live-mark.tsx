import { useLive } from '../data/live.ts';
import { cx } from '../parts/cx.ts';

const LOOKS = {
  live: ['Live', 'bg-ok'],
  connecting: ['Connecting', 'bg-medium'],
  off: ['Offline', 'bg-control'],
} as const;

/** Shows the state of the live stream. */
export function LiveMark() {
  const [word, color] = LOOKS[useLive()];
  return (
    <output
      className="inline-flex items-center gap-1.5 text-small text-muted"
      title={`Live updates: ${word.toLowerCase()}`}
    >
      <span aria-hidden className={cx('size-1.5 rounded-full', color)} />
      <span className="max-sm:sr-only">{word}</span>
    </output>
  );
}
