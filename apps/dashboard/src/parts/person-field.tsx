import { useState } from 'react';
import { useApi } from '../data/use-api.ts';
import { Button } from './button.tsx';
import { CONTROL, Field } from './field.tsx';

interface PersonFieldProps {
  /** Id of the selected person; empty for none. */
  id: string;
  onChange: (id: string) => void;
  error: string | undefined;
}

/** Field in which a person is found by a part of the name or e-mail address. */
export function PersonField({ id, onChange, error }: PersonFieldProps) {
  const [text, setText] = useState('');
  const q = text.trim();
  const { data } = useApi('listUsers', { q, limit: 5 }, { enabled: q.length > 1 && id === '', keep: true });
  const chosen = useApi('getUser', { id }, { enabled: id !== '' });
  if (id !== '')
    return (
      <Field label="User">
        {control => (
          <div className="flex min-h-8 items-center gap-3">
            <output id={control.id} className="min-w-0 truncate">
              <bdi className="font-medium">{chosen.data?.name ?? id}</bdi>{' '}
              <span className="text-muted">{chosen.data?.email}</span>
            </output>
            <Button small onClick={() => onChange('')}>
              Change user
            </Button>
          </div>
        )}
      </Field>
    );
  return (
    <div className="flex flex-col gap-1">
      <Field label="User" hint="Search by name or email." error={error}>
        {control => (
          <input
            {...control}
            type="search"
            autoComplete="off"
            value={text}
            onChange={event => setText(event.target.value)}
            className={CONTROL}
          />
        )}
      </Field>
      {q.length > 1 && data && (
        <ul aria-label="Users found" className="flex flex-col">
          {data.items.map(({ id, name, email }) => (
            <li key={id} className="border-b border-line">
              <button
                type="button"
                onClick={() => onChange(id)}
                className="flex min-h-8 w-full items-center gap-3 px-1 text-left hover:bg-sunken"
              >
                <bdi className="truncate font-medium">{name}</bdi>
                <span className="truncate text-muted">{email}</span>
              </button>
            </li>
          ))}
          {data.items.length === 0 && <li className="py-1 text-muted">No users found.</li>}
        </ul>
      )}
    </div>
  );
}
