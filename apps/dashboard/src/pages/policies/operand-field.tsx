import { useState } from 'react';
import { CONTROL } from '../../parts/field.tsx';
import { cx } from '../../parts/cx.ts';
import type { Takes } from '../../data/conditions.ts';

interface OperandFieldProps {
  takes: Takes;
  operand: unknown;
  onChange: (operand: unknown) => void;
}

/**
 * Field for the operand of a condition. Its type depends on the operator. If the value has another type, it is a JSON
 * field.
 */
export function OperandField({ takes, operand, onChange }: OperandFieldProps) {
  if (takes === 'list' && isTexts(operand)) return <Lines entries={operand} onChange={onChange} />;
  if (takes === 'value' && isScalar(operand)) return <Scalar value={operand} onChange={onChange} />;
  if (takes === 'flag' && typeof operand === 'boolean')
    return <Flag value={operand} yes="exists" no="does not exist" onChange={onChange} />;
  if (takes === 'text' && typeof operand === 'string') return <Text value={operand} onChange={onChange} />;
  if (takes === 'number' && typeof operand === 'number') return <Amount value={operand} onChange={onChange} />;
  return <Json value={operand} onChange={onChange} />;
}

type Scalar = string | number | boolean;

function isScalar(operand: unknown): operand is Scalar {
  return ['string', 'number', 'boolean'].includes(typeof operand);
}

/** Whether the operand is a list of texts without line breaks, one per line. */
function isTexts(operand: unknown): operand is string[] {
  return Array.isArray(operand) && operand.every(entry => typeof entry === 'string' && !/[\r\n]/.test(entry));
}

function Lines({ entries, onChange }: { entries: string[]; onChange: (entries: string[]) => void }) {
  const [text, setText] = useState(entries.join('\n'));
  const [known, setKnown] = useState(entries);
  // Set when the JSON was edited.
  if (known !== entries) {
    setKnown(entries);
    if (linesOf(text).join('\n') !== entries.join('\n')) setText(entries.join('\n'));
  }
  return (
    <textarea
      aria-label="Values, one per line"
      placeholder="One value per line"
      rows={Math.min(Math.max(text.split('\n').length, 2), 8)}
      value={text}
      onChange={event => {
        const next = linesOf(event.target.value);
        setText(event.target.value);
        setKnown(next);
        onChange(next);
      }}
      className={cx(CONTROL, 'resize-y')}
    />
  );
}

/** Removes blank lines, and spaces around values. */
function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '');
}

const KINDS = [
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
] as const;

const FIRST = { string: '', number: 0, boolean: true };

function Scalar({ value, onChange }: { value: Scalar; onChange: (value: Scalar) => void }) {
  return (
    <div className="flex gap-2">
      <select
        aria-label="Value type"
        value={typeof value}
        onChange={event => onChange(converted(value, event.target.value as keyof typeof FIRST))}
        className={cx(CONTROL, 'select w-28 shrink-0')}
      >
        {KINDS.map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </select>
      {typeof value === 'string' && <Text value={value} onChange={onChange} />}
      {typeof value === 'number' && <Amount value={value} onChange={onChange} />}
      {typeof value === 'boolean' && <Flag value={value} yes="yes" no="no" onChange={onChange} />}
    </div>
  );
}

/** Converts the value of an operand to another type, if that is possible. */
function converted(value: Scalar, kind: keyof typeof FIRST): Scalar {
  if (kind === 'string') return String(value);
  if (kind === 'number' && value !== '' && Number.isFinite(Number(value))) return Number(value);
  return FIRST[kind];
}

function Text({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <input
      aria-label="Value"
      dir="auto"
      autoComplete="off"
      value={value}
      onChange={event => onChange(event.target.value)}
      className={CONTROL}
    />
  );
}

function Amount({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const [text, setText] = useState(String(value));
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setText(String(value));
  }
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text));
  return (
    <input
      aria-label="Number"
      inputMode="decimal"
      autoComplete="off"
      aria-invalid={!isNumber || undefined}
      value={text}
      onChange={event => {
        const next = event.target.value;
        setText(next);
        if (next.trim() === '' || !Number.isFinite(Number(next))) return;
        setKnown(Number(next));
        onChange(Number(next));
      }}
      onBlur={() => setText(String(value))}
      className={cx(CONTROL, 'tabular-nums')}
    />
  );
}

interface FlagProps {
  value: boolean;
  yes: string;
  no: string;
  onChange: (value: boolean) => void;
}

function Flag({ value, yes, no, onChange }: FlagProps) {
  return (
    <select
      aria-label="Value"
      value={String(value)}
      onChange={event => onChange(event.target.value === 'true')}
      className={cx(CONTROL, 'select')}
    >
      <option value="true">{yes}</option>
      <option value="false">{no}</option>
    </select>
  );
}

/** JSON field. Its value is used as soon as the text is valid JSON. */
function Json({ value, onChange }: { value: unknown; onChange: (value: unknown) => void }) {
  const own = JSON.stringify(value) ?? 'null';
  const [text, setText] = useState(own);
  const [known, setKnown] = useState(own);
  if (known !== own) {
    setKnown(own);
    setText(own);
  }
  const change = (next: string): void => {
    setText(next);
    try {
      const read: unknown = JSON.parse(next);
      setKnown(JSON.stringify(read));
      onChange(read);
    } catch {
      // The text is not valid JSON yet; the field shows an error.
    }
  };
  return (
    <input
      aria-label="Value as JSON"
      autoComplete="off"
      aria-invalid={!isJson(text) || undefined}
      value={text}
      onChange={event => change(event.target.value)}
      onBlur={() => setText(own)}
      className={cx(CONTROL, 'font-mono text-small')}
    />
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
