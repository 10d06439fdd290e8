import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { Button, IconButton } from '../../parts/button.tsx';
import { cx } from '../../parts/cx.ts';
import { CONTROL } from '../../parts/field.tsx';
import {
  ATTRIBUTES,
  BLANK,
  conditionsOf,
  isSame,
  newKey,
  OPERATORS,
  OWN,
  parsed,
  rowsOf,
  takesOf,
  textOf,
  twice,
  type Conditions,
  type Row,
} from '../../data/conditions.ts';
import { OperandField } from './operand-field.tsx';

interface ConditionBuilderProps {
  initial: Conditions;
  /** Undefined while the conditions are invalid. The builder shows the error. */
  onChange: (conditions: Conditions | undefined) => void;
}

/**
 * Editor of conditions with rows. On request, it also shows the conditions as JSON. A change of the rows updates the
 * JSON, and vice versa.
 */
export function ConditionBuilder({ initial, onChange }: ConditionBuilderProps) {
  const [rows, setRows] = useState(() => rowsOf(initial));
  const [text, setText] = useState(() => textOf(initial));
  const again = twice(rows);
  const read = parsed(text);
  const fault = 'fault' in read ? read.fault : undefined;
  const id = useId();
  const [isJson, setJson] = useState(false);

  const changeRows = (next: Row[]): void => {
    setRows(next);
    const conditions = conditionsOf(next);
    setText(textOf(conditions));
    onChange(twice(next).size > 0 ? undefined : conditions);
  };
  const changeText = (next: string): void => {
    setText(next);
    const read = parsed(next);
    if ('fault' in read) return onChange(undefined);
    // Rows with equal content are kept, so that the cursor stays in its place.
    if (!isSame(conditionsOf(rows), read.conditions)) setRows(rowsOf(read.conditions));
    return onChange(read.conditions);
  };
  const add = (): void => {
    const free = ATTRIBUTES.find(([attribute]) => rows.every(row => row.attribute !== attribute));
    changeRows([...rows, { key: newKey(), attribute: free?.[0] ?? OWN, operator: 'in', operand: [] }]);
  };
  return (
    <div className={cx('grid min-w-0 gap-x-5 gap-y-3', isJson && 'sm:grid-cols-[minmax(0,1fr)_minmax(0,15rem)]')}>
      <fieldset disabled={fault !== undefined} className={cx('min-w-0', fault !== undefined && 'opacity-55')}>
        <legend className="pb-1 text-small font-medium">Applies if all conditions match</legend>
        {rows.length === 0 && (
          <p className="border-y border-line py-2 text-muted">No conditions: applies to every user.</p>
        )}
        <ol className="flex flex-col">
          {rows.map((row, at) => (
            <BuilderRow
              key={row.key}
              row={row}
              at={at + 1}
              isAgain={again.has(row.key)}
              onChange={next => changeRows(rows.map(each => (each.key === row.key ? next : each)))}
              onRemove={() => changeRows(rows.filter(each => each.key !== row.key))}
            />
          ))}
        </ol>
        <div className="flex flex-wrap gap-2 pt-2">
          <Button small icon={Plus} onClick={add}>
            Add condition
          </Button>
          {!isJson && (
            <Button small kind="quiet" onClick={() => setJson(true)}>
              Edit as JSON
            </Button>
          )}
        </div>
      </fieldset>
      {isJson && (
        <div className="flex min-w-0 flex-col gap-1">
          <label htmlFor={id} className="text-small font-medium">
            JSON
          </label>
          <textarea
            id={id}
            spellCheck={false}
            rows={Math.min(Math.max(text.split('\n').length + 1, 6), 18)}
            value={text}
            aria-invalid={fault !== undefined || undefined}
            aria-describedby={fault === undefined ? undefined : `${id}-fault`}
            onChange={event => changeText(event.target.value)}
            className={cx(CONTROL, 'resize-y bg-sunken font-mono text-small')}
          />
          {fault !== undefined && (
            <p id={`${id}-fault`} role="alert" className="text-small font-medium break-words text-critical">
              {fault}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface BuilderRowProps {
  row: Row;
  at: number;
  isAgain: boolean;
  onChange: (row: Row) => void;
  onRemove: () => void;
}

const OTHER = 'other';

function BuilderRow({ row, at, isAgain, onChange, onRemove }: BuilderRowProps) {
  const { attribute, operator, operand } = row;
  const isKnown = ATTRIBUTES.some(([known]) => known === attribute);
  const isOwn = attribute.startsWith(OWN);
  const chooseOperator = (next: string): void => {
    const takes = takesOf(next);
    onChange({ ...row, operator: next, operand: takes === takesOf(operator) ? operand : carried(operand, takes) });
  };
  return (
    <li aria-label={`Condition ${at}`} className="flex flex-col gap-2 border-t border-line py-2.5 last:border-b">
      <div className="flex gap-2">
        <select
          aria-label="Attribute"
          value={isKnown ? attribute : isOwn ? OWN : OTHER}
          onChange={event => onChange({ ...row, attribute: event.target.value })}
          className={cx(CONTROL, 'select min-w-0 flex-1')}
        >
          {ATTRIBUTES.map(([known, name]) => (
            <option key={known} value={known}>
              {name}
            </option>
          ))}
          <option value={OWN}>custom attribute…</option>
          {!isKnown && !isOwn && <option value={OTHER}>{attribute || 'no name'} (unknown)</option>}
        </select>
        <select
          aria-label="Operator"
          value={operator}
          onChange={event => chooseOperator(event.target.value)}
          className={cx(CONTROL, 'select min-w-0 flex-1')}
        >
          {Object.entries(OPERATORS).map(([known, { name }]) => (
            <option key={known} value={known}>
              {name}
            </option>
          ))}
          {!Object.hasOwn(OPERATORS, operator) && <option value={operator}>{operator}</option>}
        </select>
        <IconButton icon={X} label={`Remove condition ${at}`} onClick={onRemove} />
      </div>
      {isOwn && (
        <input
          aria-label="Custom attribute key"
          placeholder="Key, as in your directory"
          autoComplete="off"
          maxLength={128}
          value={attribute.slice(OWN.length)}
          onChange={event => onChange({ ...row, attribute: `${OWN}${event.target.value}` })}
          className={cx(CONTROL, 'font-mono text-small')}
        />
      )}
      <OperandField
        takes={takesOf(operator)}
        operand={operand}
        onChange={next => onChange({ ...row, operand: next })}
      />
      {isAgain && (
        <p role="alert" className="text-small font-medium text-critical">
          Another condition has the same attribute and operator. Change or remove one.
        </p>
      )}
    </li>
  );
}

/** The part of an operand that another operator can reuse. */
function carried(operand: unknown, takes: keyof typeof BLANK): unknown {
  const first: unknown = Array.isArray(operand) ? operand[0] : operand;
  if (takes === 'list' && typeof first === 'string') return first === '' ? [] : [first];
  if ((takes === 'value' || takes === 'text') && typeof first === 'string') return first;
  if ((takes === 'value' || takes === 'number') && typeof first === 'number') return first;
  return BLANK[takes];
}
