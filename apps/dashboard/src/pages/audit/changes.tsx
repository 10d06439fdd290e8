import { useState } from 'react';
import { plural } from '../../data/format.ts';
import { Button } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { isRecord, type Conditions } from '../../data/conditions.ts';
import { ConditionLine } from '../../parts/in-words.tsx';

type State = Record<string, unknown> | null;

/** The field of a policy that is shown in words instead of JSON. */
const CONDITIONS = 'conditions';

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

/** A field that every update changes. It is shown together with the unchanged fields. */
const TOUCHED = 'updated_at';

const CELL = 'px-2 py-1.5 font-mono break-words whitespace-pre-wrap max-sm:block max-sm:empty:hidden';

/** Shows the old and the new value of each changed field. Unchanged fields are shown on request. */
export function Changes({ before, after }: { before: State; after: State }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const rows = names.map(name => {
    const [was, is] = [before?.[name], after?.[name]];
    return { name, was, is, isChanged: JSON.stringify(was) !== JSON.stringify(is) };
  });
  const isNews = ({ name, isChanged }: (typeof rows)[number]): boolean => isChanged && name !== TOUCHED;
  const isVersion = (name: string): number => Number(name === 'version');
  const changed = rows.filter(isNews).toSorted((a, b) => isVersion(a.name) - isVersion(b.name));
  const [isWhole, setWhole] = useState(changed.length === 0);
  const shown = isWhole ? [...changed, ...rows.filter(row => !isNews(row))] : changed;
  if (rows.length === 0) return <p className="py-2 text-muted">No values were recorded.</p>;
  return (
    <>
      <table className="w-full table-fixed border-collapse text-small max-sm:block">
        {/* On narrow screens, the values are below the name, because there is no space for three columns. */}
        <thead className="max-sm:hidden">
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
        <tbody className="max-sm:block">
          {shown.map(({ name, was, is, isChanged }) => (
            <tr
              key={name}
              className={cx('border-b border-line align-top max-sm:block max-sm:py-1', !isChanged && 'text-muted')}
            >
              <th scope="row" className="py-1.5 text-left font-mono font-normal break-words max-sm:block max-sm:pb-1">
                {name}
              </th>
              <td className={cx(CELL, isChanged && was !== undefined && 'bg-critical-wash')}>
                {was !== undefined && <Value field={name} of={was} name="Before" />}
              </td>
              <td className={cx(CELL, isChanged && is !== undefined && 'bg-wash')}>
                {is !== undefined && <Value field={name} of={is} name="After" />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <Button small className="mt-2 self-start" onClick={() => setWhole(true)}>
          {`Show ${plural(rows.length - shown.length, 'other field')}`}
        </Button>
      )}
    </>
  );
}

/** A value. On narrow screens, its name is above it, because there is no column for the name. */
function Value({ field, of, name }: { field: string; of: unknown; name: string }) {
  return (
    <>
      <span className="label block font-sans sm:hidden">{name}</span>
      {field === CONDITIONS && isConditions(of) ? (
        <span className="font-sans">
          <ConditionLine conditions={of} />
        </span>
      ) : (
        text(of)
      )}
    </>
  );
}

function isConditions(value: unknown): value is Conditions {
  return isRecord(value) && Object.values(value).every(isRecord);
}
