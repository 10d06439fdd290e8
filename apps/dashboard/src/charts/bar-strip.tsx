import { useState, type KeyboardEvent } from 'react';
import { count } from '../data/format.ts';

const HEIGHT = 48;

/** A bar of two parts. The lower part has the first series color, the upper part the failure color. */
export interface StripBar {
  id: string;
  good: number;
  bad: number;
  /** Text that is shown when the bar is hovered or selected with the arrow keys. */
  words: string;
}

interface BarStripProps {
  bars: readonly StripBar[];
  /** Text alternative for the whole chart. */
  words: string;
  /** Name of the unit that a bar stands for: `days`. */
  unit: string;
  /** Labels below the first bar and the middle bar. */
  tick: (bar: StripBar) => string;
}

/** Bars of equal width on one line, without an axis. The arrow keys select one bar at a time. */
export function BarStrip({ bars, words, unit, tick }: BarStripProps) {
  const [place, setPlace] = useState<number | null>(null);
  const most = Math.max(1, ...bars.map(({ good, bad }) => good + bad));
  const shown = place === null ? undefined : bars[place];
  const move = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, place, bars.length);
    if (next === undefined) return;
    event.preventDefault();
    setPlace(next);
  };
  return (
    <>
      <p aria-hidden className="flex justify-between border-b border-line pt-3 pb-0.5 text-tiny text-muted">
        <span className="tabular-nums">{count(most)}</span>
      </p>
      <svg
        role="img"
        aria-label={`${words}. Arrow keys read the ${unit}.`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys select a bar
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setPlace(null)}
        onPointerLeave={() => setPlace(null)}
        width="100%"
        height={HEIGHT}
        viewBox={`0 0 ${bars.length} 1`}
        preserveAspectRatio="none"
        className="border-b border-control"
      >
        {bars.map(({ id, good, bad }, at) => (
          <g key={id} onPointerEnter={() => setPlace(at)}>
            <rect x={at} width={1} height={1} fill={at === place ? 'var(--sunken)' : 'transparent'} />
            <rect x={at + 0.1} width={0.8} y={1 - good / most} height={good / most} fill="var(--series-1)" />
            <rect x={at + 0.1} width={0.8} y={1 - (good + bad) / most} height={bad / most} fill="var(--critical)" />
          </g>
        ))}
      </svg>
      <p aria-hidden className="flex justify-between pt-1 text-tiny text-muted">
        {[bars[0], bars[Math.floor(bars.length / 2)]].map(bar => bar && <span key={bar.id}>{tick(bar)}</span>)}
        <span>now</span>
      </p>
      <p aria-live="polite" className="pt-1 text-small text-muted">
        {shown?.words ?? words}
      </p>
    </>
  );
}

/** Index of the bar that a key selects. Null to select none, undefined if the chart does not handle the key. */
function placeAfter(key: string, place: number | null, bars: number): number | null | undefined {
  const last = bars - 1;
  if (key === 'ArrowLeft') return Math.max(0, (place ?? bars) - 1);
  if (key === 'ArrowRight') return Math.min(last, (place ?? -1) + 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  return key === 'Escape' && place !== null ? null : undefined;
}
