import { useState } from 'react';
import { knownSum, seriesColor, ticksTo } from './scale.ts';
import { useWidth } from './use-width.ts';

/** A series of a chart. */
export interface Series {
  id: string;
  name: string;
  /** One value for each period; null if it is unknown. */
  values: readonly (number | null)[];
  /** Whether this series is the sum of all groups that are not shown. Such a series is drawn in grey. */
  isOther?: boolean;
}

interface StackedBarsProps {
  /** Accessible name of the chart, which says what it shows. */
  label: string;
  periods: readonly string[];
  /** Label below a bar. It is omitted if there is no room for it. */
  tick: (period: string) => string;
  series: readonly Series[];
  format: (value: number) => string;
  /** Label of an axis line. Axis lines are this far apart. */
  axis: (value: number, step: number) => string;
  /** A horizontal level across the bars, such as a budget per period. */
  line?: { value: number; name: string };
  height?: number;
  /** Text that says where to find the same values as a table. */
  table?: string;
}

/** Width that is used before the element is measured. */
const WIDTH = 1000;
const LEFT = 52;

/** Height of the labels below the bars. */
const TICK = 68;
const FOOT = 22;

/**
 * Bars per period, stacked by series, with the first series at the bottom. The values of the period under the pointer,
 * or selected with the arrow keys, are shown above the chart. Show the same values in a table beside the chart.
 */
export function StackedBars({
  label,
  periods,
  tick,
  series,
  format,
  axis,
  line,
  height = 220,
  table = 'The table below has the same figures.',
}: StackedBarsProps) {
  const [place, setPlace] = useState<number | null>(null);
  const [figure, width] = useWidth<HTMLElement>(WIDTH);
  const sums = periods.map((_, at) => knownSum(series.map(({ values }) => values[at] ?? null)));
  const ticks = ticksTo(Math.max(line?.value ?? 0, ...sums.map(sum => sum ?? 0)));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number): number => height - (value / top) * (height - 10);
  const step = (width - LEFT) / Math.max(periods.length, 1);
  const every = Math.max(1, Math.ceil(TICK / step));
  const bar = Math.min(step * 0.72, 72);
  // The newest bar always has a label. If there is no room below its middle, the label ends at the edge.
  const newest = periods.length - 1;
  const isAtEdge = (x: number): boolean => x + step / 2 + TICK / 3 > width;
  const move = (key: string): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by !== undefined)
      setPlace(now => Math.min(periods.length - 1, Math.max(0, (now ?? (by === 1 ? -1 : periods.length)) + by)));
    else if (key === 'Escape') setPlace(null);
  };
  return (
    <figure ref={figure} className="flex min-w-0 flex-col">
      <Readout
        period={place === null ? undefined : tick(periods[place] ?? '')}
        place={place}
        series={series}
        sum={place === null ? undefined : sums[place]}
        format={format}
        line={line?.name}
      />
      <svg
        viewBox={`0 0 ${width} ${height + FOOT}`}
        height={height + FOOT}
        role="img"
        aria-label={`${label}. ${table}`}
        // The arrow keys walk along the bars.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={event => move(event.key)}
        onBlur={() => setPlace(null)}
        onPointerLeave={() => setPlace(null)}
        className="w-full"
      >
        {ticks.map(value => (
          <g key={value}>
            <line
              x1={LEFT}
              x2={width}
              y1={y(value)}
              y2={y(value)}
              stroke="var(--line)"
              strokeWidth={value === 0 ? 1.5 : 1}
            />
            <text x={LEFT - 8} y={y(value) + 4} fontSize="11" textAnchor="end" fill="var(--muted)" className="figures">
              {axis(value, ticks[1] ?? 1)}
            </text>
          </g>
        ))}
        {periods.map((period, at) => {
          const x = LEFT + at * step;
          let below = 0;
          return (
            <g key={period} onPointerEnter={() => setPlace(at)}>
              <rect x={x} y="0" width={step} height={height} fill={at === place ? 'var(--sunken)' : 'transparent'} />
              {series.map(({ id, values, isOther }, each) => {
                const value = values[at] ?? 0;
                if (value <= 0) return null;
                const from = y(below);
                below += value;
                const tall = from - y(below);
                return (
                  <rect
                    key={id}
                    data-series
                    x={x + (step - bar) / 2}
                    y={y(below)}
                    width={bar}
                    height={Math.max(tall - (tall > 3 ? 1 : 0), 0.5)}
                    fill={isOther ? 'var(--series-other)' : seriesColor(each)}
                  />
                );
              })}
              {(newest - at) % every === 0 && (
                <text
                  x={isAtEdge(x) ? width : x + step / 2}
                  y={height + 16}
                  fontSize="11"
                  textAnchor={isAtEdge(x) ? 'end' : 'middle'}
                  fill="var(--muted)"
                >
                  {tick(period)}
                </text>
              )}
            </g>
          );
        })}
        {line && (
          <line x1={LEFT} x2={width} y1={y(line.value)} y2={y(line.value)} stroke="var(--ink)" strokeDasharray="4 3" />
        )}
      </svg>
    </figure>
  );
}

interface ReadoutProps {
  period: string | undefined;
  place: number | null;
  series: readonly Series[];
  /** Value of the bar; null if it is unknown. */
  sum: number | null | undefined;
  format: (value: number) => string;
  /** Label of the horizontal level. */
  line: string | undefined;
}

/** The legend. If a period is selected, it contains the values of that period. */
function Readout({ period, place, series, sum, format, line }: ReadoutProps) {
  return (
    <figcaption aria-live="polite" className="flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 py-2 text-small">
      {period !== undefined && (
        <span className="font-medium tabular-nums">
          {period}
          {sum !== undefined && ` · ${sum === null ? 'unknown' : format(sum)}`}
        </span>
      )}
      {series.map(({ id, name, values, isOther }, at) => {
        const value = place === null ? undefined : values[place];
        return (
          <span key={id} className="inline-flex items-center gap-1.5">
            <svg width="9" height="9" aria-hidden>
              <rect width="9" height="9" rx="1" fill={isOther ? 'var(--series-other)' : seriesColor(at)} />
            </svg>
            <bdi>{name}</bdi>
            {place !== null && (
              <span className="text-muted tabular-nums">
                {value === null || value === undefined ? 'unknown' : format(value)}
              </span>
            )}
          </span>
        );
      })}
      {line !== undefined && (
        <span className="inline-flex items-center gap-1.5">
          <svg width="16" height="9" aria-hidden>
            <line x1="0" x2="16" y1="4.5" y2="4.5" stroke="var(--ink)" strokeDasharray="4 3" />
          </svg>
          <bdi>{line}</bdi>
        </span>
      )}
    </figcaption>
  );
}
