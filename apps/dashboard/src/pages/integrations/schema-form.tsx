import { useId, type ReactNode } from 'react';
import { get, type FieldErrors, type UseFormRegister } from 'react-hook-form';
import { CheckField, SelectField, TextArea, TextField } from '../../parts/field.tsx';
import type { RoutingEntries } from './routing-entries.ts';
import type { SchemaField } from './schema-fields.ts';
import { isWanted, sentenceOf } from './schema-sets.ts';

/** Texts of the fields by field name, including those of nested objects. */
export type Entries = Record<string, string | boolean | Record<string, string | boolean>>;

/** Values of the form that the schemas of settings and secrets define. */
export interface SchemaEntries {
  name: string;
  settings: Entries;
  secrets: Entries;
  routing: RoutingEntries;
}

interface SchemaFormProps {
  fields: readonly SchemaField[];
  of: 'settings' | 'secrets';
  /** Sets of field names. At least one set must be complete. */
  sets?: readonly (readonly string[])[];
  /** Names of secrets that the server has stored. Their fields may stay empty. */
  kept?: readonly string[];
  register: UseFormRegister<SchemaEntries>;
  errors: FieldErrors<SchemaEntries>;
}

/** Maximum length from which on a text field has several lines. */
const LONG = 4_000;

const NO_SETS: readonly (readonly string[])[] = [];

/** The fields of a schema. The values of stored secrets are never shown. */
export function SchemaForm({ fields, of, sets = NO_SETS, kept, register, errors }: SchemaFormProps) {
  const titleOf = (each: string): string => fields.find(({ name }) => name === each)?.title ?? each;
  const choice = sentenceOf(sets, titleOf);
  const controlOf = (field: SchemaField): ReactNode => {
    const { name, title, description, type, isRequired, choices, maxLength, check } = field;
    const isKept = kept?.includes(name) === true;
    const isInSet = sets.some(set => set.includes(name));
    const mayStayEmpty = !isRequired || isKept;
    const common = {
      label: title,
      ...(description !== undefined && { hint: description }),
      ...(!isRequired && !isInSet && { optional: true }),
      error: messageAt(errors, `${of}.${name}`),
    };
    const entry = register(`${of}.${name}`, {
      validate: (value, entries) => {
        if (typeof value !== 'string') return true;
        if (value.trim() === '' && isInSet && !isKept) {
          const isFilled = (each: string): boolean => kept?.includes(each) === true || isText(entries[of][each]);
          if (!isWanted(name, sets, isFilled)) return true;
          return sets.flat().some(isFilled) ? `${title} is required.` : choice;
        }
        if (value.trim() === '') return mayStayEmpty || `${title} is required.`;
        return check(value.trim());
      },
    });
    if (type === 'boolean')
      return (
        <CheckField key={name} label={title} {...(description !== undefined && { hint: description })} {...entry} />
      );
    if (type === 'choice')
      return (
        <SelectField
          key={name}
          {...common}
          options={[...(isRequired ? [] : [['', 'Not set'] as const]), ...choices.map(each => [each, each] as const)]}
          {...entry}
        />
      );
    if (type === 'text' && of === 'settings' && maxLength !== undefined && maxLength >= LONG)
      return <TextArea key={name} {...common} maxLength={maxLength} {...entry} />;
    return (
      <TextField
        key={name}
        {...common}
        type={of === 'secrets' && isHidden(name) ? 'password' : 'text'}
        autoComplete={of === 'secrets' ? 'new-password' : 'off'}
        spellCheck={false}
        {...(maxLength !== undefined && { maxLength })}
        {...(type === 'number' && { inputMode: 'decimal' as const })}
        {...(isKept && { placeholder: 'Stored. Enter a new value to replace it.' })}
        {...entry}
      />
    );
  };
  // The fields of one nested object are next to each other.
  const parts = [...Map.groupBy(fields, ({ name, group }) => (group ? name.split('.')[0] : name)).values()];
  return (
    <>
      {sets.length > 0 && <p className="text-muted">{choice}</p>}
      {parts.map(part => {
        const [first] = part;
        if (first?.group === undefined) return part.map(controlOf);
        return (
          <FieldGroup key={first.name} title={first.group.title} description={first.group.description}>
            {part.map(controlOf)}
          </FieldGroup>
        );
      })}
    </>
  );
}

/** The fields of one nested object, below the object's title and hint. */
function FieldGroup({
  title,
  description,
  children,
}: {
  title: string;
  description: string | undefined;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <fieldset aria-describedby={description === undefined ? undefined : id} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-small font-medium">{title}</legend>
      {description !== undefined && (
        <p id={id} className="text-small text-muted">
          {description}
        </p>
      )}
      <div className="grid grid-cols-2 gap-3 border-l border-line pl-4">{children}</div>
    </fieldset>
  );
}

function isText(entry: unknown): boolean {
  return typeof entry === 'string' && entry.trim() !== '';
}

function messageAt(errors: FieldErrors<SchemaEntries>, path: string): string | undefined {
  // The compiler does not know the type of a nested path.
  const error = get(errors, path) as { message?: unknown } | undefined;
  return typeof error?.message === 'string' ? error.message : undefined;
}

/** An account name is not secret to the person who enters it, so it is visible while it is typed. */
function isHidden(name: string): boolean {
  return !/^(user(_?name)?|e-?mail|account|client_id)$/.test(name);
}
