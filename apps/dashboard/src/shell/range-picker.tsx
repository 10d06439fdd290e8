import { Popover } from '@base-ui/react/popover';
import { CalendarDays, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { RANGES } from '../data/range.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { cx } from '../parts/cx.ts';
import { DateField } from '../parts/field.tsx';
import { POPUP } from '../parts/menu.tsx';
import { useZone } from '../parts/time.tsx';
import { useFilters } from '../parts/use-filters.ts';
import { useRange } from '../parts/use-range.ts';

/**
 * Selects the time range of the page. The range is stored in the address. The picker shows the time zone of its days.
 */
export function RangePicker() {
  const range = useRange();
  const zone = useZone();
  const [, setFilters] = useFilters<'range'>();
  const [isOpen, setOpen] = useState(false);
  const choose = (id: string): void => {
    setFilters({ range: id });
    setOpen(false);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger className={cx(buttonClass(), 'min-w-0')}>
        <CalendarDays size={14} strokeWidth={1.75} aria-hidden className="shrink-0 text-muted" />
        <span>
          <span className="sr-only">Time range: </span>
          {range.name}
        </span>
        <span className="truncate text-small text-muted max-md:sr-only">{zone}</span>
        <ChevronDown size={14} aria-hidden className="shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup className={cx(POPUP, 'flex w-72 flex-col gap-3 p-3')}>
            <Popover.Title className="label">Dates in {zone}</Popover.Title>
            <div className="grid grid-cols-2 gap-2">
              {RANGES.map(({ id, name }) => (
                <Button
                  key={id}
                  onClick={() => choose(id)}
                  aria-pressed={id === range.id}
                  className={cx(id === range.id && 'border-accent! bg-wash text-accent')}
                >
                  {name}
                </Button>
              ))}
            </div>
            <OwnRange key={range.id} first={range.firstDay} last={range.lastDay} onChoose={choose} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function OwnRange({ first, last, onChoose }: { first: string; last: string; onChoose: (id: string) => void }) {
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const error = from > to ? 'The first day is after the last.' : undefined;
  return (
    <form
      className="flex flex-col gap-2 border-t border-line pt-3"
      onSubmit={event => {
        event.preventDefault();
        if (error === undefined) onChoose(`${from}..${to}`);
      }}
    >
      <div className="grid grid-cols-2 gap-2">
        <DateField
          label="First day"
          required
          value={from}
          onChange={event => setFrom(event.target.value)}
          error={error}
        />
        <DateField label="Last day" required value={to} onChange={event => setTo(event.target.value)} />
      </div>
      <Button type="submit" kind="primary">
        Apply
      </Button>
    </form>
  );
}
