import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { dayInWords } from '../data/time.ts';
import { cx } from './cx.ts';

/** Classes of inputs, selects and text areas. */
export const CONTROL =
  'min-h-8 w-full rounded border border-control bg-surface px-2.5 py-1 text-body text-ink placeholder:text-muted file:mr-2 file:cursor-pointer file:font-medium file:text-accent aria-invalid:border-critical disabled:bg-sunken';

interface FieldProps {
  label: string;
  /** Hint that says what to enter, with an example. */
  hint?: ReactNode;
  /** Error message that says what to do. */
  error?: string | undefined;
  /** Whether the label says that the field is optional. */
  optional?: boolean;
  className?: string;
  /** Function that renders the control with these attributes. */
  children: (control: {
    id: string;
    'aria-invalid': boolean | undefined;
    'aria-describedby': string | undefined;
  }) => ReactNode;
}

/** A field with its label, control, hint and error. Attributes connect them for screen readers. */
export function Field({ label, hint, error, optional = false, className, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="text-small font-medium">
        {label} {optional && <span className="font-normal text-muted">(optional)</span>}
      </label>
      {children({ id, 'aria-invalid': error !== undefined || undefined, 'aria-describedby': described || undefined })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-small text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-small font-medium text-critical">
          {error}
        </p>
      )}
    </div>
  );
}

type Common = Omit<FieldProps, 'children'>;

/** A single-line field. It accepts the properties that `register` of react-hook-form returns. */
export function TextField({ label, hint, error, optional, className, ...input }: Common & ComponentProps<'input'>) {
  return (
    <Field {...{ label, hint, error, className }} {...(optional && { optional })}>
      {control => <input autoComplete="off" {...input} {...control} className={CONTROL} />}
    </Field>
  );
}

/**
 * A date. The browser decides the order of day and month, so the chosen date is repeated in words below the control.
 * Accepts the result of `register` of react-hook-form.
 */
export function DateField({ hint, onChange, ref, ...input }: Common & ComponentProps<'input'>) {
  const [day, setDay] = useState('');
  // Called after each render. react-hook-form sets the value of the control itself when it gets the control.
  const attach = (control: HTMLInputElement | null): void => {
    if (typeof ref === 'function') ref(control);
    if (control) setDay(control.value);
  };
  return (
    <TextField
      {...input}
      type="date"
      ref={attach}
      onChange={event => {
        setDay(event.target.value);
        return onChange?.(event);
      }}
      hint={
        day === '' ? (
          hint
        ) : (
          <>
            <span className="font-medium text-ink">{dayInWords(day)}</span>
            {hint !== undefined && <>. {hint}</>}
          </>
        )
      }
    />
  );
}

/** A multi-line field. */
export function TextArea({ label, hint, error, optional, className, ...input }: Common & ComponentProps<'textarea'>) {
  return (
    <Field {...{ label, hint, error, className }} {...(optional && { optional })}>
      {control => <textarea rows={3} {...input} {...control} className={cx(CONTROL, 'resize-y')} />}
    </Field>
  );
}

/** An option of a select: its value and its label. */
export type Option = readonly [value: string, name: string];

/** A select with a few values. */
export function SelectField({
  label,
  hint,
  error,
  optional,
  className,
  options,
  ...input
}: Common & { options: readonly Option[] } & ComponentProps<'select'>) {
  return (
    <Field {...{ label, hint, error, className }} {...(optional && { optional })}>
      {control => (
        <select {...input} {...control} className={cx(CONTROL, 'select')}>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/**
 * Check boxes in a list that scrolls. It accepts the properties that `register` of react-hook-form returns. The value
 * is a list.
 */
export function ChoiceList({
  label,
  hint,
  optional = false,
  options,
  none,
  ...input
}: Pick<Common, 'label' | 'hint' | 'optional'> & {
  options: readonly Option[];
  /** Text that is shown if the list is empty. */
  none: string;
} & ComponentProps<'input'>) {
  const id = useId();
  return (
    <fieldset aria-describedby={hint === undefined ? undefined : `${id}-hint`} className="flex min-w-0 flex-col gap-1">
      <legend className="pb-1 text-small font-medium">
        {label} {optional && <span className="font-normal text-muted">(optional)</span>}
      </legend>
      <div className="max-h-40 overflow-y-auto rounded border border-control bg-surface py-1">
        {options.length === 0 && <p className="px-2.5 py-1 text-muted">{none}</p>}
        {options.map(([value, name]) => (
          <label key={value} className="flex min-h-7 items-center gap-2 px-2.5 hover:bg-sunken">
            <input type="checkbox" {...input} value={value} className="check" />
            <bdi className="min-w-0 truncate">{name}</bdi>
          </label>
        ))}
      </div>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-small text-muted">
          {hint}
        </p>
      )}
    </fieldset>
  );
}

/** A check box with a label. */
export function CheckField({
  label,
  hint,
  className,
  ...input
}: Pick<Common, 'label' | 'hint'> & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className={cx('flex items-start gap-2', className)}>
      <input id={id} type="checkbox" {...input} className="check mt-0.5" />
      <label htmlFor={id} className="min-w-0">
        {label}
        {hint !== undefined && <span className="block text-small text-muted">{hint}</span>}
      </label>
    </div>
  );
}
