import type { MouseEvent } from 'react';

/** Follows the link of a row. Does nothing if a control in the row was pressed, or text was selected. */
export function follow(event: MouseEvent<HTMLTableRowElement>): void {
  if (!(event.target instanceof Element) || event.target.closest('a, button, input, label, select')) return;
  if (getSelection()?.toString()) return;
  event.currentTarget.querySelector('a')?.click();
}
