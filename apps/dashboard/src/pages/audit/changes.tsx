import { useState } from 'react';
import { plural } from '../../data/format.ts';
import { Button } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';

type State = Record<string, unknown> | null;

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Shows each changed field before and after. Unchanged fields are shown on request. */
export function Changes({ before, after }: { before: State; after: State }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const rows = names.map(name => {
    const [was, is] = [before?.[name], after?.[name]];
    return { name, was, is, isChanged: JSON.stringify(was) !== JSON.stringify(is) };
  });
  const changed = rows.filter(({ isChanged }) => isChanged);
  const [isWhole, setWhole] = useState(changed.length === 0);
  const shown = isWhole ? [...changed, ...rows.filter(({ isChanged }) => !isChanged)] : changed;
  if (rows.length === 0) return <p className="py-2 text-muted">No values were recorded.</p>;
  return (
    <>
      <table className="w-full table-fixed border-collapse text-small">
        <thead>
          <tr className="label h-8 border-b border-line text-left">
            <th scope="col" className="w-1/4 font-medium">
              Field
            </th>
            <th scope="col" className="px-2 font-medium">
              Before
            </th>
            <th scope="col" className="px-2 font-medium">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, was, is, isChanged }) => (
            <tr key={name} className={cx('border-b border-line align-top', !isChanged && 'text-muted')}>
              <th scope="row" className="py-1.5 text-left font-mono font-normal break-words">
                {name}
              </th>
              <td
                className={cx(
                  'px-2 py-1.5 font-mono break-words',
                  isChanged && was !== undefined && 'bg-critical-wash line-through decoration-critical/60',
                )}
              >
                {was === undefined ? '' : text(was)}
              </td>
              <td className={cx('px-2 py-1.5 font-mono break-words', isChanged && is !== undefined && 'bg-wash')}>
                {is === undefined ? '' : text(is)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <Button small className="mt-2 self-start" onClick={() => setWhole(true)}>
          {`Show ${plural(rows.length - shown.length, 'unchanged field')}`}
        </Button>
      )}
    </>
  );
}
