import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PAGES } from './page-table.ts';

/** Maximum time between the two keys of a sequence such as `g i`, in milliseconds. */
const SECOND_KEY = 1_200;

/** The keyboard shortcuts, as the help lists them. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['⌘K or Ctrl K', 'Search or jump to a page'],
  ['/', 'Focus the filter'],
  ['j and k', 'Next and previous row'],
  ['Enter', 'Open row'],
  ['Esc', 'Close panel'],
  ['?', 'Show shortcuts'],
];

interface Handlers {
  palette: () => void;
  help: () => void;
}

/** Handles keyboard shortcuts. Keys that are typed into a field are ignored. */
export function useKeys({ palette, help }: Handlers): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goAt = 0;
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        palette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="alertdialog"], [aria-modal="true"]') !== null) return;
      const page = event.timeStamp - goAt < SECOND_KEY ? PAGES.find(({ key }) => key === event.key) : undefined;
      goAt = 0;
      if (page !== undefined) {
        event.preventDefault();
        void navigate({ to: `/${page.path}`, search: (previous: Record<string, string>) => onlyRange(previous) });
      } else if (event.key === 'g') goAt = event.timeStamp;
      else if (event.key === '?') help();
      else if (event.key === '/') {
        const filter = document.querySelector<HTMLElement>('[data-filter], search select');
        if (filter) event.preventDefault();
        filter?.focus();
      } else if (event.key === 'j' || event.key === 'k') step(event.key === 'j' ? 1 : -1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, palette, help]);
}

function onlyRange({ range }: Record<string, string>): Record<string, string> {
  return range === undefined ? {} : { range };
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest('input:not([type="radio"]):not([type="checkbox"]), textarea, select') !== null)
  );
}

/** Moves the focus to the next or previous row. If a sheet is open, it then shows that row. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const opened = rows.findIndex(row => 'opened' in row.dataset);
  const focused = rows.findIndex(row => row.contains(document.activeElement));
  const from = opened === -1 ? focused : opened;
  const row = rows[from === -1 ? (by === 1 ? 0 : rows.length - 1) : from + by];
  const link = row?.querySelector<HTMLElement>('a');
  if (!link) return;
  link.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  if (opened !== -1) link.click();
}
