import { plural } from '../data/format.ts';
import { shortDay } from '../data/time.ts';
import { figuresOf } from '../data/unusual.ts';
import { useZone } from '../parts/time.tsx';
import { useWidth } from './use-width.ts';

interface AnomalyPlotProps {
  anomaly: {
    metric: string;
    observed: number;
    expected_low: number;
    expected_high: number;
    window: { start: string };
    series: { at: string; value: number }[];
  };
}

/** Width that is used before the element is measured. */
const WIDTH = 512;
const HEIGHT = 120;
const FOOT = 18;

/** Draws the past values as thin bars, the unusual value as a wide bar, and the expected range as a band. */
export function AnomalyPlot({
  anomaly: { metric, observed, expected_low, expected_high, window, series },
}: AnomalyPlotProps) {
  const zone = useZone();
  const [figure, width] = useWidth<HTMLElement>(WIDTH);
  const shown = figuresOf({ metric, observed, expected_high });
  const top = Math.max(observed, expected_high, ...series.map(({ value }) => value)) * 1.15 || 1;
  const y = (value: number): number => HEIGHT - (Math.max(0, value) / top) * HEIGHT;
  const step = width / Math.max(series.length, 1);
  const first = series[0];
  const at = series.findIndex(each => each.at === window.start);
  const past = plural(at < 0 ? series.length : series.length - 1, 'earlier value');
  const summary = `${shown.observed} observed, at most ${shown.bound} expected from ${past}.`;
  return (
    <figure ref={figure} className="flex min-w-0 flex-col gap-1">
      <svg
        viewBox={`0 0 ${width} ${HEIGHT + FOOT}`}
        height={HEIGHT + FOOT}
        role="img"
        aria-label={summary}
        className="w-full"
      >
        <rect x="0" width={width} y={y(expected_high)} height={y(expected_low) - y(expected_high)} fill="var(--wash)" />
        <line
          x1="0"
          x2={width}
          y1={y(expected_high)}
          y2={y(expected_high)}
          stroke="var(--accent)"
          strokeDasharray="3 3"
        />
        {series.map(({ at, value }, place) => {
          const isUnusual = at === window.start;
          return (
            <rect
              key={at}
              x={place * step}
              width={Math.max(1, Math.min(step - 1, 10))}
              y={y(value)}
              height={HEIGHT - y(value)}
              fill={isUnusual ? 'var(--critical)' : 'var(--control)'}
            />
          );
        })}
        <line x1="0" x2={width} y1={HEIGHT} y2={HEIGHT} stroke="var(--line)" />
        {/* The label lies above the bars. Its outline has the color of the surface, so it can be read. */}
        <text
          x="0"
          y={Math.max(y(expected_high) - 6, 10)}
          fontSize="11"
          fill="var(--muted)"
          stroke="var(--surface)"
          strokeWidth="4"
          paintOrder="stroke"
        >
          Expected: at most {shown.bound}
        </text>
        {at >= 0 && (
          <text
            x={Math.min(at * step + 10, width)}
            y={Math.max(y(observed) - 5, 10)}
            fontSize="11"
            fontWeight="500"
            textAnchor={at * step > width / 2 ? 'end' : 'start'}
            fill="var(--critical)"
          >
            {shown.observed}
          </text>
        )}
        {first && (
          <text x="0" y={HEIGHT + 14} fontSize="11" fill="var(--muted)">
            {shortDay(first.at, zone)}
          </text>
        )}
        <text x={width} y={HEIGHT + 14} fontSize="11" textAnchor="end" fill="var(--muted)">
          {shortDay(window.start, zone)}
        </text>
      </svg>
      <figcaption className="text-small text-muted">{summary}</figcaption>
    </figure>
  );
}
